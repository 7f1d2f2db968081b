/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k_heap.h - a heap that threads share and may wait for, as Zephyr's
 *
 *     K_HEAP_DEFINE(messages, 4096);
 *
 *     block = k_heap_alloc(&messages, 100, K_MSEC(10));
 *     ...
 *     k_heap_free(&messages, block);
 *
 * It is a sys_heap (tally/sys_heap.h) with a lock and a queue: the first field
 * is the heap, for its figures and checks. Any thread may call anything here;
 * signal handlers and interrupts may free, and ask with K_NO_WAIT. A request
 * that the empty heap could not satisfy fails at once. docs/slabs.md: in which
 * order threads are served, and forks.
 */
#ifndef TALLY_K_HEAP_H
#define TALLY_K_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/k_heap.h"
#include "tally/sys_heap.h"
#include "tally/thread.h"
#include "tally/timeout.h"

TALLY_BEGIN_DECLS

enum { TALLY_K_HEAP_PASSES = 16 };

/* As sys_heap_init(). Not while a thread waits. */
void k_heap_init(struct k_heap *heap, void *mem, size_t bytes);

/*
 * A block of at least `bytes`, or NULL: there was none before the timeout.
 * `align` is a power of 2, or 0 for any. k_heap_calloc() clears the block; NULL
 * also if the product overflows.
 */
void *k_heap_alloc(struct k_heap *heap, size_t bytes, k_timeout_t timeout);
void *k_heap_aligned_alloc(struct k_heap *heap, size_t align, size_t bytes,
                           k_timeout_t timeout);
void *k_heap_calloc(struct k_heap *heap, size_t num, size_t size,
                    k_timeout_t timeout);

/*
 * As sys_heap_realloc(), waiting for room if need be; NULL leaves the block as
 * it was. 0 bytes free it, and NULL comes at once.
 */
void *k_heap_realloc(struct k_heap *heap, void *ptr, size_t bytes,
                     k_timeout_t timeout);

/* Take back a block; NULL is ignored. */
void k_heap_free(struct k_heap *heap, void *mem);

/*
 * Beyond Zephyr.
 */

struct tally_k_heap_figures {
    uint32_t refused;   /* requests that failed without waiting */
    uint32_t timed_out; /* ... after it */
    uint32_t waiting;   /* threads that wait now */
    uint64_t longest_wait_ns;
};

/* What happened since the init. 0, or -EINVAL for a NULL. */
int tally_k_heap_figures_get(struct k_heap *heap,
                             struct tally_k_heap_figures *figures);

/*
 * Definition at compile time: usable from the start, also by constructors. At
 * least one byte can be had, however small `bytes` is. Another source declares
 * `extern struct k_heap NAME;`. `static` before it is for its memory alone.
 */
#define K_HEAP_DEFINE(name, bytes)                                      \
    unsigned char __aligned(8)                                          \
        tally_k_heap_memory_##name[TALLY_K_HEAP_BYTES(bytes)];          \
    struct k_heap name TALLY_K_HEAP_PLACE = TALLY_K_HEAP_OF(            \
        tally_k_heap_memory_##name, sizeof tally_k_heap_memory_##name); \
    static struct tally_k_heap_item tally_k_heap_item_##name            \
        __attribute__((used, section("tally_k_heaps"),                  \
                       aligned(sizeof(void *)))) = { &(name), #name }

#if __STDC_HOSTED__
/*
 * All heaps that K_HEAP_DEFINE made in the caller's program or shared object,
 * as an array in *heaps. Returns how many.
 */
static inline int k_heap_array_get(struct k_heap **heaps);
#endif

/*
 * A heap for all, without a definition. None of these waits for room. On hosts,
 * a program compiled with CONFIG_HEAP_MEM_POOL_SIZE has a heap of so many
 * bytes, headers included; others have the library's. The first call opens it.
 * NULL and 0 bytes are as for k_heap_realloc().
 */
void *k_malloc(size_t size);
void *k_aligned_alloc(size_t align, size_t size);
void *k_calloc(size_t num, size_t size);
void *k_realloc(void *ptr, size_t size);
void k_free(void *ptr);

TALLY_END_DECLS

#endif /* TALLY_K_HEAP_H */
