/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys_heap.h - Zephyr's sys_heap: blocks of any size from the caller's region
 *
 *     static char memory[4096];
 *     static struct sys_heap heap;
 *
 *     sys_heap_init(&heap, memory, sizeof memory);
 *     block = sys_heap_alloc(&heap, 100);
 *     sys_heap_free(&heap, block);
 *
 * Each call takes bounded time. Every block is aligned to 8 bytes. A bad
 * pointer or header is refused at constant cost: the heap stays unchanged, the
 * fault is counted, and the handler is called. See docs/slabs.md for the
 * overhead of blocks and for faults.
 *
 * There is no lock: a program that shares a heap between threads or with
 * interrupts must serialize their calls, except for functions marked "Any
 * thread".
 */
#ifndef TALLY_SYS_HEAP_H
#define TALLY_SYS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/mem_stats.h"
#include "tally/private/linkage.h"
#include "tally/private/sys_heap.h"

TALLY_BEGIN_DECLS

/* Smallest region, aligned to 8, that can hold a block of 1 byte. */
#define TALLY_HEAP_SMALLEST_BYTES 48
#define Z_HEAP_MIN_SIZE           TALLY_HEAP_SMALLEST_BYTES

/* Size of a region that can hold one block of `bytes`, whatever its address. */
#define Z_HEAP_MIN_SIZE_FOR(bytes)            \
    ((size_t)(bytes) + (size_t)(bytes) / 32 + \
     ((bytes) <= 1024    ? 128                \
      : (bytes) <= 65536 ? 256                \
                         : 560))

/*
 * Initialise a heap of `bytes` at `mem`, of any alignment, which is handed out
 * from its low end, and enter it in the list of all heaps. If the region is too
 * small for a block, every request is refused. Memory beyond 8 GiB, or 256 KiB
 * with headers of 4 bytes, stays unused, which counts as a fault. Initialising
 * a heap again forgets its blocks.
 */
void sys_heap_init(struct sys_heap *heap, void *mem, size_t bytes);

/* Allocate at least `bytes`. Return NULL if there is no room or `bytes` is
   0. */
void *sys_heap_alloc(struct sys_heap *heap, size_t bytes);

/* Like sys_heap_alloc(), at a multiple of `align`: a power of two, or 0 for
   any. Another `align` is refused and counts as a fault. */
void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes);

/* Like sys_heap_alloc(), for callers whose interface has an unused
   alignment. */
void *sys_heap_noalign_alloc(struct sys_heap *heap, size_t align, size_t bytes);

/* Free a block; NULL is ignored. */
void sys_heap_free(struct sys_heap *heap, void *mem);

/*
 * Resize a block. It stays in place if it shrinks or the memory behind it is
 * free (and, with `align`, if it is already aligned); else it is moved. A NULL
 * `ptr` allocates; 0 bytes free and return NULL. Return NULL if there is no
 * room; the block is then unchanged.
 */
void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes);
void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align,
                               size_t bytes);

/* Return the usable size of a block in bytes: the requested size, rounded up to
   the end of its chunk. Return 0 for a pointer that is not a block. */
size_t sys_heap_usable_size(struct sys_heap *heap, void *mem);

/* Fill *stats. Whole chunks are counted, headers included, so that the sum of
   free and allocated bytes is constant. Return 0, or -EINVAL for a NULL. */
int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats);

/* Restart the peak from the current value. Return 0, or -EINVAL for a NULL. */
int sys_heap_runtime_stats_reset_max(struct sys_heap *heap);

/* Check the whole heap: every chunk, list and count. For tests and diagnosis;
   takes time linear in the number of chunks. */
bool sys_heap_validate(struct sys_heap *heap);

/*
 * Store in *heaps an array of all heaps, in the order of their first
 * initialization; the next call overwrites it. Return their number, at most
 * TALLY_HEAP_ARRAY_SIZE (tally_heap_next() has no limit), or -EINVAL for a
 * NULL.
 */
enum { TALLY_HEAP_ARRAY_SIZE = 16 };
int sys_heap_array_get(struct sys_heap ***heaps);

/* Extensions to Zephyr's API. */

/* Return the heap after `heap` in the list of all; NULL begins and ends it. Any
   thread. */
struct sys_heap *tally_heap_next(const struct sys_heap *heap);

/*
 * Name the heap in reports; the caller owns the string. A heap defined by a
 * macro has its variable's name. Once any slab or heap was initialised, named
 * or used, `tally report --regions PID` shows all of them, unless profiling is
 * off for good.
 */
void tally_heap_name_set(struct sys_heap *heap, const char *name);
const char *tally_heap_name(const struct sys_heap *heap); /* or NULL */

/* Remove a heap whose memory goes away from the list. Any thread. */
void tally_heap_forget(struct sys_heap *heap);

/* Resize a block in place. Return false, with the block unchanged, if it
   cannot. */
bool tally_heap_resize(struct sys_heap *heap, void *mem, size_t bytes);

/* Contents of a block's header. */
struct tally_heap_block {
    uint32_t site;    /* site it is charged to, below 2^27, or 2^12; 0: none */
    size_t requested; /* requested bytes */
};

/* Read the header of `mem`. *block is zero if `mem` is not a block. */
bool tally_heap_block_read(struct sys_heap *heap, const void *mem,
                           struct tally_heap_block *block);

/* Free `mem` and store its header in *block. */
bool tally_heap_block_free(struct sys_heap *heap, void *mem,
                           struct tally_heap_block *block);

/* Charge `mem`, a live block, to `site`. `requested` is the size it was
   allocated or resized with; it may be 0 if that was 1, as for malloc(0). */
void tally_heap_block_charge(struct sys_heap *heap, void *mem, uint32_t site,
                             size_t requested);

struct tally_heap_figures {
    size_t largest_free;    /* largest block that can be allocated, in bytes */
    uint32_t fragmentation; /* free bytes outside of it, per mille */
    uint32_t blocks;        /* live blocks */
    uint32_t free_chunks;   /* free chunks that can hold a block */
    uint32_t refused; /* requests that found no room, since initialization */
    uint32_t faults;  /* bad pointers and headers refused, since
                               initialization */
};

/* Fill *figures; walks the free chunks of the largest class. Return 0, or
   -EINVAL for a NULL. */
int tally_heap_figures_get(const struct sys_heap *heap,
                           struct tally_heap_figures *figures);

enum tally_heap_fault {
    TALLY_HEAP_FOREIGN,  /* not the address of any possible block */
    TALLY_HEAP_NOT_OUT,  /* no block begins there: freed twice or invalid */
    TALLY_HEAP_DAMAGED,  /* header of a block or of its neighbour is damaged */
    TALLY_HEAP_LOST,     /* damaged free memory, which is abandoned */
    TALLY_HEAP_ALIGNMENT /* requested alignment is not a power of two; `mem` is
                            NULL */
};

/* Handler of a fault; the heap is unchanged. */
typedef void (*tally_heap_fault_fn)(struct sys_heap *heap, const void *mem,
                                    enum tally_heap_fault fault);

/* Set the handler of faults in all heaps. Any thread. NULL (the default): debug
   builds of the library print the fault and abort, others only count it. */
void tally_heap_on_fault(tally_heap_fault_fn handler);

TALLY_END_DECLS

#endif /* TALLY_SYS_HEAP_H */
