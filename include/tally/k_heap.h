/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k_heap.h - Zephyr's k_heap: a heap that threads share and may wait for
 *
 *     K_HEAP_DEFINE(messages, 4096);
 *
 *     block = k_heap_alloc(&messages, 100, K_MSEC(10));
 *     ...
 *     k_heap_free(&messages, block);
 *
 * A k_heap is a sys_heap (tally/sys_heap.h) with a lock and a queue of waiters.
 * Its first field is the sys_heap, for figures and checks. Any thread may call
 * any function; signal handlers and interrupts may free, and allocate with
 * K_NO_WAIT. A request that does not fit into the empty heap fails at once. See
 * docs/slabs.md for the order in which threads are served, and for forks.
 */
#ifndef TALLY_K_HEAP_H
#define TALLY_K_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "tally/config.h"
#include "tally/private/k_heap.h"
#include "tally/sys_heap.h"
#include "tally/thread.h"
#include "tally/timeout.h"

TALLY_BEGIN_DECLS

enum { TALLY_K_HEAP_PASSES = 16 };

/* Like sys_heap_init(). Not while a thread waits. */
void k_heap_init(struct k_heap *heap, void *mem, size_t bytes);

/*
 * Return a block of at least `bytes`, or NULL if none became free before the
 * timeout. `align` is a power of 2; 0 means any. k_heap_calloc() clears the
 * block and also returns NULL if the product overflows.
 */
void *k_heap_alloc(struct k_heap *heap, size_t bytes, k_timeout_t timeout);
void *k_heap_aligned_alloc(struct k_heap *heap, size_t align, size_t bytes,
                           k_timeout_t timeout);
void *k_heap_calloc(struct k_heap *heap, size_t num, size_t size,
                    k_timeout_t timeout);

/* Like sys_heap_realloc(), but wait for memory if needed. NULL leaves the block
   unchanged. 0 bytes free the block and return NULL at once. */
void *k_heap_realloc(struct k_heap *heap, void *ptr, size_t bytes,
                     k_timeout_t timeout);

/* Free a block; NULL is ignored. */
void k_heap_free(struct k_heap *heap, void *mem);

/* Extensions to Zephyr's API. */

struct tally_k_heap_figures {
    uint32_t refused;   /* requests that failed without waiting */
    uint32_t timed_out; /* ... after waiting */
    uint32_t waiting;   /* threads that wait now */
    uint64_t longest_wait_ns;
};

/* Read the counters since initialization. Return 0, or -EINVAL for a NULL. */
int tally_k_heap_figures_get(struct k_heap *heap,
                             struct tally_k_heap_figures *figures);

/*
 * Define a heap at compile time, usable from the start, even by constructors.
 * However small `bytes` is, the heap can serve at least one byte. Other sources
 * declare `extern struct k_heap NAME;`. A leading `static` applies to its
 * memory only.
 */
#define K_HEAP_DEFINE(name, bytes)                                      \
    unsigned char __aligned(8)                                          \
        tally_k_heap_memory_##name[TALLY_K_HEAP_BYTES(bytes)];          \
    struct k_heap name TALLY_K_HEAP_PLACE = TALLY_K_HEAP_OF(            \
        tally_k_heap_memory_##name, sizeof tally_k_heap_memory_##name); \
    static struct tally_k_heap_item tally_k_heap_item_##name            \
        __attribute__((used, section("tally_k_heaps"),                  \
                       aligned(sizeof(void *)))) = { &(name), #name }

#if TALLY_HAS(OS)
/* Store in *heaps the array of all heaps that K_HEAP_DEFINE defined in the
   caller's program or shared object; return their number. */
static inline int k_heap_array_get(struct k_heap **heaps);
#endif

/*
 * Allocate from a system heap that needs no definition. These functions never
 * wait. On hosts, CONFIG_HEAP_MEM_POOL_SIZE of the program sets the size of the
 * heap, headers included; otherwise the library's default applies. The first
 * call creates it. NULL and 0 bytes mean the same as for k_heap_realloc().
 */
void *k_malloc(size_t size);
void *k_aligned_alloc(size_t align, size_t size);
void *k_calloc(size_t num, size_t size);
void *k_realloc(void *ptr, size_t size);
void k_free(void *ptr);

TALLY_END_DECLS

#endif /* TALLY_K_HEAP_H */
