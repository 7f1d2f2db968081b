/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mimalloc_calls.c - mimalloc's functions by their own names; either free()
 * works
 *
 * With an argument the program reports that it runs, and starts at a byte. With
 * two it allocates from a heap of its own, by a function without a hook.
 */
#include <mimalloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 1000 };

static void *by_malloc(size_t size)
{
    return mi_malloc(size);
}

static void *zeroed(size_t size)
{
    mi_free(mi_zalloc(size));
    mi_free(mi_zalloc_small(size));
    mi_free(mi_malloc_small(size));
    free(mi_calloc(1, size));
    return mi_mallocn(2, size);
}

static void *resized(void *block, size_t size)
{
    block = mi_reallocf(mi_realloc(block, size), size + 1);
    block = mi_rezalloc(mi_recalloc(block, size, 2), 3 * size);
    return mi_reallocn(block, size, 4);
}

static void *array(void *block, size_t size)
{
    return mi_reallocarray(block, size, 5);
}

static void *in_place(void *block, size_t size)
{
    return mi_expand(block, size);
}

static void *aligned(size_t size, size_t alignment)
{
    void *block;

    mi_free_aligned(mi_zalloc_aligned(size, alignment), alignment);
    mi_free_size_aligned(mi_malloc_aligned(size, alignment), size, alignment);
    mi_free(mi_memalign(alignment, size));
    mi_free(mi_aligned_alloc(alignment, size));
    REQUIRE(mi_posix_memalign(&block, alignment, size) == 0);
    block = mi_realloc_aligned(block, 2 * size, alignment);
    REQUIRE((uintptr_t)block % alignment == 0);
    return block;
}

static void *by_new(size_t size)
{
    mi_free_size(mi_new_nothrow(size), size);
    mi_free(mi_new_aligned(size, 64));
    return mi_new(size);
}

static void *plain(size_t size)
{
    return malloc(size);
}

int main(int count, char **arguments)
{
    void *blocks[BLOCKS];
    char *block, byte;

    (void)arguments;
    if (count > 1)
        REQUIRE(write(STDOUT_FILENO, ".", 1) == 1 &&
                read(STDIN_FILENO, &byte, 1) == 1);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i % 2 == 0 ? by_malloc(8) : plain(24);
        REQUIRE(blocks[i] != NULL);
        memset(blocks[i], i, 8);
    }
    for (int i = 0; i < BLOCKS; i += 4) {
        free(blocks[i]);
        mi_free(blocks[i + 1]);
    }
    mi_free(zeroed(10));
    block = array(resized(by_malloc(9), 1000), 1000);
    REQUIRE(mi_usable_size(block) >= 5000);
    REQUIRE(in_place(block, 4990) == block);
    REQUIRE(in_place(block, 1 << 20) == NULL);
    mi_cfree(block);
    mi_free(aligned(640, 64));
    mi_free(by_new(40));
    victim_keep(by_new(50));
    if (count > 2)
        victim_keep(mi_heap_malloc(mi_heap_get_default(), 60));
    return 0;
}
