/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator.c - malloc defined in the executable
 *
 * Calls within the executable bypass a preload, but not a jump over its
 * entries. A calloc that calls malloc counts once.
 */
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t size)
{
    size_t start =
        __atomic_fetch_add(&used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED);

    if (start + size + 16 > sizeof pool)
        return NULL;
    memcpy(pool + start, &size, sizeof size);
    return pool + start + 16;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the pool is zero */
}

void *realloc(void *block, size_t size)
{
    void *moved = malloc(size);
    size_t old;

    if (moved != NULL && block != NULL) {
        memcpy(&old, (char *)block - 16, sizeof old);
        memcpy(moved, block, old < size ? old : size);
    }
    return moved;
}

int main(void)
{
    char *block = malloc(100);

    REQUIRE(block > pool && block < pool + sizeof pool);
    for (int i = 0; i < 100; i++)
        free(victim_keep(strdup("through libc")));
    block = realloc(block, 200);
    REQUIRE(block > pool && block < pool + sizeof pool);
    block = reallocarray(
        block, 3, 100); /* libc's reallocarray calls this program's realloc */
    REQUIRE(block > pool && block < pool + sizeof pool);
    victim_say("done\n");
    return 0;
}
