/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab.h - blocks of one size from a buffer, as Zephyr's memory slabs
 *
 *     K_MEM_SLAB_DEFINE(packets, 400, 6, 4);
 *
 *     if (k_mem_slab_alloc(&packets, &block, K_MSEC(100)) == 0) {
 *         ...
 *         k_mem_slab_free(&packets, block);
 *     }
 *
 * A thread that finds no block may wait (tally/timeout.h, tally/thread.h). Any
 * thread may call anything here; signal handlers and interrupts may allocate
 * with K_NO_WAIT, and free. All calls take the same time whatever the number of
 * blocks, except an init. A faulty free is always found and counted. errno is
 * left alone; errors are errno.h's, negative. docs/slabs.md: memory, waiting,
 * faults, forks, and definitions in functions.
 */
#ifndef TALLY_MEM_SLAB_H
#define TALLY_MEM_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/mem_stats.h"
#include "tally/private/mem_slab.h"
#include "tally/thread.h"
#include "tally/timeout.h"

TALLY_BEGIN_DECLS

enum tally_slab_fault {
    TALLY_SLAB_FOREIGN, /* a pointer that no block has */
    TALLY_SLAB_NOT_OUT, /* a block that is not out: freed twice */
    TALLY_SLAB_DAMAGED, /* the link in an unused block was written over */
    TALLY_SLAB_FAULTS
};

/* The most blocks a slab can have. */
#define TALLY_SLAB_MOST_BLOCKS ((1u << 30) - 1)

/*
 * Share out `num_blocks` blocks of `block_size` bytes at `buffer`, in the
 * lowest order first. `buffer` and `block_size` are multiples of 4. -EINVAL if
 * not, for a NULL, for no blocks, blocks of no size, or more than the address
 * space or TALLY_SLAB_MOST_BLOCKS; -ENOMEM if the port has no memory for the
 * words beside the buffer. The slab is then as it was.
 *
 * Initialising a slab again marks all its blocks as unused; threads that wait
 * for one get it. Not from signal handlers or interrupts.
 */
int k_mem_slab_init(struct k_mem_slab *slab, void *buffer, size_t block_size,
                    uint32_t num_blocks);

/*
 * A block, in *mem. Returns 0, or without waiting
 *
 *     -ENOMEM   there is none, and K_NO_WAIT or waiting is impossible here;
 *               *mem is NULL
 *     -EINVAL   `slab` or `mem` is NULL, or the slab was never initialised
 *
 * or after the timeout -EAGAIN, with *mem as it was.
 */
int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout);

/* Give a block back. */
void k_mem_slab_free(struct k_mem_slab *slab, void *mem);

/* Blocks out now, and at most since the start or k_mem_slab_runtime_stats_
   reset_max(). 0 for a slab that was never initialised. */
uint32_t tally_mem_slab_used(const struct k_mem_slab *slab);
uint32_t tally_mem_slab_peak(const struct k_mem_slab *slab);

static inline uint32_t k_mem_slab_num_used_get(struct k_mem_slab *slab)
{
    return tally_mem_slab_used(slab);
}

static inline uint32_t k_mem_slab_max_used_get(struct k_mem_slab *slab)
{
    return tally_mem_slab_peak(slab);
}

static inline uint32_t k_mem_slab_num_free_get(struct k_mem_slab *slab)
{
    return slab->num_blocks - tally_mem_slab_used(slab);
}

/* The same in bytes. 0, or -EINVAL for a NULL. */
int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats);

/* The most from now on. 0, or -EINVAL for a NULL. */
int k_mem_slab_runtime_stats_reset_max(struct k_mem_slab *slab);

/*
 * Beyond Zephyr.
 */

struct tally_slab_figures {
    uint32_t used, unused, peak; /* blocks */
    uint32_t refused;            /* requests that got -ENOMEM */
    uint32_t timed_out;          /* ... -EAGAIN */
    uint32_t waiting;            /* threads that wait now */
    uint32_t faults[TALLY_SLAB_FAULTS];
    uint64_t longest_wait_ns; /* of one that has ended, either way */
};

/* What happened since the init. 0, or -EINVAL for a NULL. */
int tally_mem_slab_figures_get(const struct k_mem_slab *slab,
                               struct tally_slab_figures *figures);

/*
 * What to call the slab in reports; the string stays the caller's. A slab that
 * a macro defined is called what it was there. Once any slab or heap was
 * initialised, named or used, `tally report --regions PID` shows all of them,
 * unless profiling is off for good.
 */
void tally_mem_slab_name_set(struct k_mem_slab *slab, const char *name);
const char *tally_mem_slab_name(const struct k_mem_slab *slab); /* or NULL */

/* The slab after `slab` in the list of all, from NULL to NULL. */
struct k_mem_slab *tally_mem_slab_next(const struct k_mem_slab *slab);

/* A slab whose memory goes away: it may not be used any more. */
void tally_mem_slab_forget(struct k_mem_slab *slab);

/*
 * Called after a fault in any slab, in the context that found it. With
 * TALLY_SLAB_DAMAGED `mem` is the block, which is handed out all the same; else
 * it is what was to be freed. If `slab` itself is wrong, it is NULL or not
 * initialised.
 */
typedef void (*tally_slab_fault_fn)(struct k_mem_slab *slab, const void *mem,
                                    enum tally_slab_fault fault);

/* The handler of faults. NULL, as at first: a library built for debugging says
   so and aborts, another one only counts. */
void tally_mem_slab_on_fault(tally_slab_fault_fn handler);

/*
 * Definition at compile time, in C from C99 and C++ from C++98 on: usable from
 * the start, also by constructors. It does not compile if k_mem_slab_init()
 * would refuse it, or if the alignment is not a power of 2, or the size not a
 * multiple of it. Another source declares `extern struct k_mem_slab NAME;`.
 */
#define K_MEM_SLAB_DEFINE(name, slab_block_size, slab_num_blocks, slab_align) \
    TALLY_SLAB_DEFINE(__extension__, name, TALLY_SLAB_OF_FILE(name),          \
                      slab_block_size, slab_num_blocks, slab_align)

#define K_MEM_SLAB_DEFINE_STATIC(name, slab_block_size, slab_num_blocks,       \
                                 slab_align)                                   \
    TALLY_SLAB_DEFINE(static, name, &(name), slab_block_size, slab_num_blocks, \
                      slab_align)

TALLY_END_DECLS

#endif /* TALLY_MEM_SLAB_H */
