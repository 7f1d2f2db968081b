/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab.h - Zephyr's memory slabs: blocks of one size from a buffer
 *
 *     K_MEM_SLAB_DEFINE(packets, 400, 6, 4);
 *
 *     if (k_mem_slab_alloc(&packets, &block, K_MSEC(100)) == 0) {
 *         ...
 *         k_mem_slab_free(&packets, block);
 *     }
 *
 * A thread that finds no free block may wait (tally/timeout.h, tally/thread.h).
 * Any thread may call any function; signal handlers and interrupts may free,
 * and allocate with K_NO_WAIT. All calls but initialization take constant time.
 * An invalid free is always detected and counted. errno is preserved; errors
 * are negative errno values. See docs/slabs.md for memory, waiting, faults,
 * forks, and definitions in functions.
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
    TALLY_SLAB_FOREIGN, /* not the address of a block */
    TALLY_SLAB_NOT_OUT, /* block is not allocated: freed twice */
    TALLY_SLAB_DAMAGED, /* link in an unused block was overwritten */
    TALLY_SLAB_FAULTS
};

/* Largest number of blocks of a slab. */
#define TALLY_SLAB_MOST_BLOCKS ((1u << 30) - 1)

/*
 * Initialise a slab of `num_blocks` blocks of `block_size` bytes at `buffer`;
 * the lowest block is handed out first. `buffer` and `block_size` are multiples
 * of 4. Return 0; -EINVAL for other values, NULL, zero, or more than the
 * address space or TALLY_SLAB_MOST_BLOCKS; -ENOMEM if the port has no memory
 * for the words beside the buffer. On error the slab is unchanged.
 *
 * Initialising a slab again marks all its blocks as unused and serves waiting
 * threads. Not from signal handlers or interrupts.
 */
int k_mem_slab_init(struct k_mem_slab *slab, void *buffer, size_t block_size,
                    uint32_t num_blocks);

/*
 * Allocate a block and store it in *mem. Return 0, or without waiting
 *
 *     -ENOMEM   no block is free, and K_NO_WAIT was given or waiting is
 *               impossible here; *mem is NULL
 *     -EINVAL   `slab` or `mem` is NULL, or the slab was never initialised
 *
 * or after the timeout -EAGAIN, with *mem unchanged.
 */
int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout);

/* Free a block. */
void k_mem_slab_free(struct k_mem_slab *slab, void *mem);

/* Return the blocks in use now, and the peak since the start or
   k_mem_slab_runtime_stats_reset_max(). 0 for a slab that was never
   initialised. */
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

/* Fill *stats in bytes. Return 0, or -EINVAL for a NULL. */
int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats);

/* Restart the peak from the current value. Return 0, or -EINVAL for a NULL. */
int k_mem_slab_runtime_stats_reset_max(struct k_mem_slab *slab);

/* Extensions to Zephyr's API. */

struct tally_slab_figures {
    uint32_t used, unused, peak; /* blocks */
    uint32_t refused;            /* requests that returned -ENOMEM */
    uint32_t timed_out;          /* ... -EAGAIN */
    uint32_t waiting;            /* threads that wait now */
    uint32_t faults[TALLY_SLAB_FAULTS];
    uint64_t longest_wait_ns; /* longest finished wait, successful or not */
};

/* Read the counters since initialization. Return 0, or -EINVAL for a NULL. */
int tally_mem_slab_figures_get(const struct k_mem_slab *slab,
                               struct tally_slab_figures *figures);

/*
 * Name the slab in reports; the caller owns the string. A slab defined by a
 * macro has its variable's name. Once any slab or heap was initialised, named
 * or used, `tally report --regions PID` shows all of them, unless profiling is
 * off for good.
 */
void tally_mem_slab_name_set(struct k_mem_slab *slab, const char *name);
const char *tally_mem_slab_name(const struct k_mem_slab *slab); /* or NULL */

/* Return the slab after `slab` in the list of all; NULL begins and ends it. */
struct k_mem_slab *tally_mem_slab_next(const struct k_mem_slab *slab);

/* Remove a slab whose memory goes away; it must not be used any more. */
void tally_mem_slab_forget(struct k_mem_slab *slab);

/*
 * Handler of a fault in any slab, called in the context that found it. With
 * TALLY_SLAB_DAMAGED, `mem` is the block, which is handed out anyway; else it
 * is the pointer to be freed. `slab` may be NULL or not initialised if it is
 * itself wrong.
 */
typedef void (*tally_slab_fault_fn)(struct k_mem_slab *slab, const void *mem,
                                    enum tally_slab_fault fault);

/* Set the handler of faults. NULL (the default): debug builds of the library
   print the fault and abort, others only count it. */
void tally_mem_slab_on_fault(tally_slab_fault_fn handler);

/*
 * Define a slab at compile time, in C99 and C++98 or later: usable from the
 * start, even by constructors. The definition does not compile if
 * k_mem_slab_init() would refuse it, `slab_align` is not a power of 2, or the
 * size is not a multiple of it. Other sources declare `extern struct k_mem_slab
 * NAME;`.
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
