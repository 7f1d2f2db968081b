/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed_allocator.c - an allocator inside the program, beside malloc, with
 * names that begin with toy_
 *
 * Its calloc calls its malloc, and its first call takes the pool from libc.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/recorder/victims/victim.h"

enum { POOL = 1 << 20, HEAD = 16 };

static char *pool;
static size_t used;

void *toy_malloc(size_t size);
void *toy_calloc(size_t count, size_t size);
void *toy_realloc(void *block, size_t size);
void toy_free(void *block);
int toy_posix_memalign(void **block, size_t alignment, size_t size);
void *toy_mallocx(size_t size, int flags);
void *toy_rallocx(void *block, size_t size, int flags);
void toy_sdallocx(void *block, size_t size, int flags);

void *toy_malloc(size_t size)
{
    char *block;

    if (pool == NULL)
        pool = malloc(POOL);
    if (used + size + 2 * HEAD > POOL)
        return NULL;
    block = pool + used + HEAD;
    memcpy(block - HEAD, &size, sizeof size);
    used += (size + 2 * HEAD - 1) / HEAD * HEAD;
    return block;
}

void *toy_calloc(size_t count, size_t size)
{
    void *block = toy_malloc(count * size);

    return block == NULL ? NULL : memset(block, 0, count * size);
}

void toy_free(void *block)
{
    if (block != NULL)
        memset(block, 0x55, 1);
}

void *toy_realloc(void *block, size_t size)
{
    void *moved = toy_malloc(size);
    size_t old = 0;

    if (block != NULL)
        memcpy(&old, (char *)block - HEAD, sizeof old);
    if (moved != NULL && block != NULL)
        memcpy(moved, block, old < size ? old : size);
    if (moved != NULL)
        toy_free(block);
    return moved;
}

int toy_posix_memalign(void **block, size_t alignment, size_t size)
{
    *block = alignment > HEAD ? NULL : toy_malloc(size);
    return *block == NULL ? 22 : 0;
}

void *toy_mallocx(size_t size, int flags)
{
    return flags == 7 ? toy_malloc(size) : NULL;
}

void *toy_rallocx(void *block, size_t size, int flags)
{
    return flags == 9 ? toy_realloc(block, size) : NULL;
}

void toy_sdallocx(void *block, size_t size, int flags)
{
    size_t held;

    memcpy(&held, (char *)block - HEAD, sizeof held);
    REQUIRE(held == size && flags == 11);
    toy_free(block);
}

static void *plain(void)
{
    return toy_malloc(100);
}

static void *zeroed(void)
{
    return toy_calloc(3, 7);
}

static void *grown(void *block)
{
    return toy_realloc(block, 300);
}

static void *with_flags(void)
{
    return toy_mallocx(50, 7);
}

static void *of_libc(void)
{
    return malloc(40);
}

/* With an argument report that the program runs, and start at a byte. */
int main(int count, char **arguments)
{
    void *blocks[20], *aligned;
    char byte;

    (void)arguments;
    if (count > 1)
        REQUIRE(write(STDOUT_FILENO, ".", 1) == 1 &&
                read(STDIN_FILENO, &byte, 1) == 1);

    for (int i = 0; i < 20; i++) {
        blocks[i] = plain();
        memset(blocks[i], i, 100);
    }
    for (int i = 0; i < 5; i++)
        toy_free(blocks[i]);
    for (int i = 5; i < 8; i++) {
        blocks[i] = grown(blocks[i]);
        REQUIRE(((char *)blocks[i])[99] == i);
    }
    for (int i = 0; i < 4; i++)
        REQUIRE(*(char *)zeroed() == 0);
    for (int i = 0; i < 6; i++) {
        void *block = toy_rallocx(with_flags(), 60, 9);

        REQUIRE(block != NULL);
        if (i < 2)
            toy_sdallocx(block, 60, 11);
    }
    REQUIRE(toy_posix_memalign(&aligned, 8, 30) == 0);
    REQUIRE(toy_posix_memalign(&aligned, 4096, 30) == 22);
    REQUIRE(toy_malloc(POOL) == NULL);
    for (int i = 0; i < 9; i++)
        victim_keep(of_libc());
    return 0;
}
