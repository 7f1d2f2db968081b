/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sys_heap.h - blocks of any size from a region that the caller owns
 *
 *     static char memory[4096];
 *     static struct sys_heap heap;
 *
 *     sys_heap_init(&heap, memory, sizeof memory);
 *     block = sys_heap_alloc(&heap, 100);
 *     sys_heap_free(&heap, block);
 *
 * Zephyr's sys_heap under its own names. Each call takes a bounded time. Every
 * block is aligned to 8 bytes. A faulty pointer or header is refused at
 * constant cost: nothing changes, the fault is counted, and the handler is
 * called. docs/slabs.md: what blocks cost, and faults.
 *
 * There is no lock: a program that shares a heap between threads or with
 * interrupts keeps them apart, except for the functions that say otherwise.
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

/* The smallest region in which a block of 1 byte fits, if aligned to 8. */
#define TALLY_HEAP_SMALLEST_BYTES 48
#define Z_HEAP_MIN_SIZE           TALLY_HEAP_SMALLEST_BYTES

/* Enough for one block of so many bytes, whatever its address. */
#define Z_HEAP_MIN_SIZE_FOR(bytes)            \
    ((size_t)(bytes) + (size_t)(bytes) / 32 + \
     ((bytes) <= 1024    ? 128                \
      : (bytes) <= 65536 ? 256                \
                         : 560))

/*
 * Prepare `heap` to share out `bytes` at `mem`, in the lowest order first, and
 * enter it in the list of all heaps. Any alignment will do. If the region is
 * too small for a block, every request is refused. If it is above 8 GiB, or 256
 * KiB where headers are of 4 bytes, the rest stays unused, which is a fault.
 * Initialising a heap again forgets its blocks.
 */
void sys_heap_init(struct sys_heap *heap, void *mem, size_t bytes);

/* A block of at least `bytes`, or NULL: no room, or `bytes` is 0. */
void *sys_heap_alloc(struct sys_heap *heap, size_t bytes);

/*
 * The same at a multiple of `align`, a power of two, or 0 for any; another
 * `align` is refused, and a fault.
 */
void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes);

/* The same where the caller's interface has an alignment that is ignored. */
void *sys_heap_noalign_alloc(struct sys_heap *heap, size_t align, size_t bytes);

/* Take back a block; NULL is ignored. */
void sys_heap_free(struct sys_heap *heap, void *mem);

/*
 * The block with its contents at another size. It stays in place if it shrinks
 * or what lies behind it is free (and, with `align`, if it is aligned so
 * already); else it is moved. A NULL `ptr` allocates; 0 bytes free, and return
 * NULL. NULL also if there is no room: the block then stays as it was.
 */
void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes);
void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align,
                               size_t bytes);

/* Bytes that the block may hold, from `mem` on: as many as asked for or
   more. */
size_t sys_heap_usable_size(struct sys_heap *heap, void *mem);

/*
 * How full the heap is. Whole chunks are counted, headers included, so that
 * free and allocated always add up to the same. 0, or -EINVAL for a NULL.
 */
int sys_heap_runtime_stats_get(struct sys_heap *heap,
                               struct sys_memory_stats *stats);

/* The most from now on. 0, or -EINVAL for a NULL. */
int sys_heap_runtime_stats_reset_max(struct sys_heap *heap);

/*
 * Walk the whole heap: every chunk, every list, every count. For tests and
 * after a suspicion; it takes as long as there are chunks.
 */
bool sys_heap_validate(struct sys_heap *heap);

/*
 * All heaps, in the order of their first init, as an array that the next call
 * writes anew. Returns how many are in it: at most TALLY_HEAP_ARRAY_SIZE, while
 * tally_heap_next() leaves none out. -EINVAL for a NULL.
 */
enum { TALLY_HEAP_ARRAY_SIZE = 16 };
int sys_heap_array_get(struct sys_heap ***heaps);

/*
 * Beyond Zephyr.
 */

/* The heap after `heap` in the list of all, from NULL to NULL. Any thread. */
struct sys_heap *tally_heap_next(const struct sys_heap *heap);

/*
 * What to call the heap in reports; the string stays the caller's. A heap that
 * a macro defined is called what it was there. Once any slab or heap was
 * initialised, named or used, `tally report --regions PID` shows all of them,
 * unless profiling is off for good.
 */
void tally_heap_name_set(struct sys_heap *heap, const char *name);
const char *tally_heap_name(const struct sys_heap *heap); /* or NULL */

/* Take a heap whose memory goes away off the list. Any thread. */
void tally_heap_forget(struct sys_heap *heap);

/* Change the size of a block where it lies: false, and nothing else happens. */
bool tally_heap_resize(struct sys_heap *heap, void *mem, size_t bytes);

/* What is kept in the header of a block. */
struct tally_heap_block {
    uint32_t site;    /* that it is charged to, below 2^27, or 2^12; 0: none */
    size_t requested; /* bytes asked for */
};

/* What `mem` is charged with. `*block` is zero when it is not a block. */
bool tally_heap_block_read(struct sys_heap *heap, const void *mem,
                           struct tally_heap_block *block);

/* Free `mem`, and tell what it was charged with. */
bool tally_heap_block_free(struct sys_heap *heap, void *mem,
                           struct tally_heap_block *block);

/*
 * Charge `mem`, a block that is out, to `site`. `requested` is what the block
 * was allocated or resized with, or 0 where that was 1.
 */
void tally_heap_block_charge(struct sys_heap *heap, void *mem, uint32_t site,
                             size_t requested);

struct tally_heap_figures {
    size_t largest_free;    /* bytes of the largest block to be had */
    uint32_t fragmentation; /* per mille of the free bytes outside it */
    uint32_t blocks;        /* out now */
    uint32_t free_chunks;   /* pieces that the free bytes are in */
    uint32_t refused;       /* requests that found no room, since init */
    uint32_t faults;        /* pointers and headers refused, since init */
};

/* Walks the free chunks of the largest class. 0, or -EINVAL for a NULL. */
int tally_heap_figures_get(const struct sys_heap *heap,
                           struct tally_heap_figures *figures);

enum tally_heap_fault {
    TALLY_HEAP_FOREIGN,  /* a pointer that no block can have */
    TALLY_HEAP_NOT_OUT,  /* ... that no block has: freed twice, or made up */
    TALLY_HEAP_DAMAGED,  /* a block's header, or its neighbour's */
    TALLY_HEAP_LOST,     /* free memory, which is given up */
    TALLY_HEAP_ALIGNMENT /* what was asked for is no power of two; of NULL */
};

/* Called after a fault, with the heap as it was before. */
typedef void (*tally_heap_fault_fn)(struct sys_heap *heap, const void *mem,
                                    enum tally_heap_fault fault);

/* The handler of faults in every heap, any thread. NULL, as at first: a library
   built for debugging says so and aborts, another one only counts. */
void tally_heap_on_fault(tally_heap_fault_fn handler);

TALLY_END_DECLS

#endif /* TALLY_SYS_HEAP_H */
