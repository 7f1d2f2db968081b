/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - allocate in each way, and say so on standard error
 *
 * A line is the operation, the result, the arguments and the source line.
 */
#include "tests/zephyr/kheap.h"

#include <zephyr/sys/printk.h>

#include <stdio.h>
#include <stdlib.h>

#include "tally/mem_trace.h"

#define SAY(letter, result, format, ...)                              \
    fprintf(stderr, letter " %#zx " format " %d\n", (size_t)(result), \
            __VA_ARGS__, __LINE__)
#define ALLOC(block, call, size)                \
    do {                                        \
        block = call;                           \
        SAY("m", block, "%zu", (size_t)(size)); \
    } while (0)
#define CALLOC(block, call, count, size)                \
    do {                                                \
        block = call;                                   \
        SAY("c", block, #count " %zu", (size_t)(size)); \
    } while (0)
#define REALLOC(block, old, call, size)                   \
    do {                                                  \
        void *before = old;                               \
                                                          \
        block = call;                                     \
        SAY("r", block, "%#zx " #size, (size_t)(before)); \
    } while (0)
#define FREE(call, block)                     \
    do {                                      \
        SAY("f", 0, "%#zx", (size_t)(block)); \
        call;                                 \
    } while (0)

static struct k_heap heap;
static struct k_mem_slab slab = { .BLOCK_SIZE = 64 };
static void *kept;

/* Another thread allocates and frees while the first waits. */
static void others(void)
{
    void *block;

    kheap_others = NULL;
    ALLOC(block, k_malloc(11), 11);
    FREE(k_heap_free(&heap, kept), kept);
    FREE(k_free(block), block);
}

static void allocate(void)
{
    void *block;

    ALLOC(block, k_malloc(100), 100);
    REALLOC(block, block, k_realloc(block, 200), 200);
    FREE(k_free(block), block);
    CALLOC(block, k_calloc(3, 20), 3, 20);
    FREE(k_free(block), block);
    ALLOC(block, k_aligned_alloc(64, 128), 128);
    FREE(k_free(block), block);
    FREE(k_free(NULL), NULL);
    ALLOC(block, k_malloc(5000), 5000); /* fails */
    ALLOC(block, z_thread_aligned_alloc(8, 16), 16);
    FREE(k_free(block), block);

    ALLOC(kept, k_heap_alloc(&heap, 50, K_NO_WAIT), 50);
    kheap_others = others; /* while the next call waits */
    ALLOC(block, k_heap_alloc(&heap, 60, K_FOREVER), 60);
    REALLOC(block, block, k_heap_realloc(&heap, block, 70, K_NO_WAIT), 70);
    FREE(k_heap_free(&heap, block), block);
    ALLOC(block, k_heap_aligned_alloc(&heap, 8, 24, K_NO_WAIT), 24);
    FREE(k_heap_free(&heap, block), block);
    CALLOC(block, k_heap_calloc(&heap, 2, 9, K_NO_WAIT), 2, 9);
    FREE(k_heap_free(&heap, block), block);

    ALLOC(block, (k_mem_slab_alloc(&slab, &block, K_FOREVER), block), 64);
    FREE(k_mem_slab_free(&slab, GIVEN(block)), block);
}

static void *volatile unseen;

static void allocate_inside(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    if (!kheap_is_isr && kheap_locks == 0)
        abort(); /* threads run one at a time */
    k_free(unseen = k_malloc(1));
    printk("called\n");
}

int main(void)
{
    void *block;

    allocate();
    kheap_is_early = true;
    ALLOC(block, k_malloc(8), 8);
    FREE(k_free(block), block);
    kheap_is_early = false;
    kheap_is_isr = true;
    ALLOC(kept, malloc(30), 30);
    FREE(free(kept), kept);
    kheap_is_isr = false;
    mbed_mem_trace_disable();
    k_free(k_malloc(12));
    mbed_mem_trace_set_callback(allocate_inside);
    k_free(k_malloc(13));
    if (kheap_locks != 0)
        abort();
    fflush(stdout);
    return 0;
}
