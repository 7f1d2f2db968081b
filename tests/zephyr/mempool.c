/* SPDX-License-Identifier: Apache-2.0 */
/* mempool.c - k_malloc() on a k_heap, with its heap before each block */
#include <zephyr/kernel.h>

#include <string.h>

static struct k_heap system_heap;

void *k_aligned_alloc(size_t align, size_t size)
{
    void **block = k_heap_aligned_alloc(&system_heap, align,
                                        size + sizeof(void *), K_NO_WAIT);

    return block == NULL ? NULL : block + 1;
}

void *z_thread_aligned_alloc(size_t align, size_t size)
{
    return k_aligned_alloc(align, size);
}

void *k_malloc(size_t size)
{
    return k_aligned_alloc(sizeof(void *), size);
}

void *k_calloc(size_t count, size_t size)
{
    void *block = k_malloc(count * size);

    return block == NULL ? NULL : memset(block, 0, count * size);
}

void *k_realloc(void *block, size_t size)
{
    void **moved = k_heap_realloc(&system_heap, (void **)block - 1,
                                  size + sizeof(void *), K_NO_WAIT);

    return moved == NULL ? NULL : moved + 1;
}

void k_free(void *block)
{
    if (block != NULL)
        k_heap_free(&system_heap, (void **)block - 1);
}
