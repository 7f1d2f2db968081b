/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tags.c - allocate at random, print the tags, and count them again
 *
 * Standard output has the tags' rows, standard error the bytes, blocks and line
 * of each.
 */
#include "tests/zephyr/kheap.h"

#include "tally/zephyr.h"

#include <zephyr/shell/shell.h>

#include <stdarg.h>
#include <stdio.h>

enum { BLOCKS = 100, LINES = 6 };

static struct k_heap heap;
static struct k_mem_slab slab = { .BLOCK_SIZE = 64 };

static struct known {
    int line;
    size_t bytes, count;
} known[LINES];

static struct kept {
    void *block;
    size_t size;
    struct known *known;
} kept[BLOCKS];

static void note(struct kept *one, int way, int line, void *block, size_t size)
{
    struct known *to = &known[way];

    if (one->known != NULL) {
        one->known->bytes -= one->size;
        one->known->count--;
    }
    *one = (struct kept){ block, size, block == NULL ? NULL : to };
    to->line = line;
    if (block != NULL) {
        to->bytes += size;
        to->count++;
    }
}

static void *helper(size_t size)
{
    return (k_malloc)(size); /* without a tag of its own */
}

/* Another thread allocates while the first is in its hook. */
static void others(void)
{
    kheap_others = NULL;
    kheap_thread++;
    note(&kept[0], 0, __LINE__, k_malloc(7), 7);
    kheap_thread--;
}

static void take(struct kept *one, int way, size_t size)
{
    void *block;

    if (way == 1)
        note(one, 1, __LINE__, k_calloc(3, size), 3 * size);
    else if (way == 2)
        note(one, 2, __LINE__, k_heap_alloc(&heap, size, K_FOREVER), size);
    else if (way == 3)
        note(one, 3, __LINE__, alloc_hooks(helper(size)), size);
    else if (way == 4 && k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0)
        note(one, 4, __LINE__ - 1, block, 64);
    else
        one->block = (k_malloc)(size); /* charged to none */
}

static void give_back(struct kept *one, int way)
{
    if (one->known == &known[2])
        k_heap_free(&heap, one->block);
    else if (one->known == &known[4])
        k_mem_slab_free(&slab, GIVEN(one->block));
    else
        k_free(one->block);
    note(one, way, known[way].line, NULL, 0);
}

int main(void)
{
    uint32_t random = 1;

    kheap_others = others;
    take(&kept[1], 2, 20);
    for (int i = 0; i < 20000; i++) {
        struct kept *one = &kept[1 + random / 16 % (BLOCKS - 1)];
        int way = 1 + (int)(random / 4096 % 5);
        size_t size = random / 65536 % 200 + 1;

        random = random * 1664525 + 1013904223;
        if (one->block == NULL)
            take(one, way, size);
        else if (way == 5 && one->known == &known[3])
            note(one, 5, __LINE__, k_realloc(one->block, size), size);
        else
            give_back(one, way % LINES);
    }
#ifdef CONFIG_SHELL
    stand_in_command(NULL, 1, NULL);
#else
    allocinfo_write(1);
#endif
    fflush(stdout);
    for (int i = 0; i < LINES; i++)
        fprintf(stderr, "%zu %zu %d\n", known[i].bytes, known[i].count,
                known[i].line);
    return 0;
}
