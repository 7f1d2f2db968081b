/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_address.c - the family called by pointer, in a program with tags
 *
 * `by_address` records it. Each function allocates 3 blocks of 1,000 bytes and
 * more, one of them by name.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static struct {
    void *(*do_malloc)(size_t size);
    void *(*do_calloc)(size_t count, size_t size);
    void *(*do_realloc)(void *block, size_t size);
    void *(*do_aligned_alloc)(size_t alignment, size_t size);
    int (*do_posix_memalign)(void **block, size_t alignment, size_t size);
    void *(*do_memalign)(size_t alignment, size_t size);
    char *(*do_strdup)(const char *text);
    void (*do_free)(void *block);
} volatile by = { malloc,         calloc,   realloc, aligned_alloc,
                  posix_memalign, memalign, strdup,  free };

void *volatile kept[30];
static int count;

static void keep(void *block)
{
    kept[count++] = block;
}

__attribute__((noinline)) static void new_blocks(void)
{
    keep(by.do_malloc(1000));
    keep(by.do_calloc(1, 1000));
    keep(malloc(1000));
}

__attribute__((noinline)) static void resized(void)
{
    keep(by.do_realloc(NULL, 1001));
    keep(by.do_realloc(by.do_realloc(malloc(5), 50), 1001));
    keep(realloc(by.do_realloc(NULL, 6), 1001));
}

__attribute__((noinline)) static void aligned(void)
{
    void *block = NULL;

    keep(by.do_aligned_alloc(64, 1024));
    keep(by.do_memalign(64, 1024));
    if (by.do_posix_memalign(&block, 64, 1024) == 0)
        keep(block);
}

int main(void)
{
    new_blocks();
    resized();
    aligned();
    by.do_free(by.do_strdup("gone"));
    by.do_free(by.do_realloc(malloc(7), 8));
    return count == 9 ? 0 : 1;
}
