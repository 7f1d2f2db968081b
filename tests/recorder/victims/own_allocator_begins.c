/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator_begins.c - malloc defined in the executable, which maps memory
 * first
 *
 * Its first call comes before any constructor, and maps memory under the lock
 * of its initialization, like jemalloc in rustc. A recorder that allocates to
 * answer that call, if only for the message of a failed dlsym, deadlocks.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { POOL_SIZE = 1 << 20 };

static char *pool;
static size_t used;
static bool is_beginning;

static void begin(void)
{
    REQUIRE(!is_beginning);
    is_beginning = true;
    pool = mmap(NULL, POOL_SIZE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pool != MAP_FAILED);
    is_beginning = false;
}

void *malloc(size_t size)
{
    char *block;

    if (pool == NULL)
        begin();
    used += (size + 15) & ~(size_t)15;
    REQUIRE(used <= POOL_SIZE);
    block = pool + used - ((size + 15) & ~(size_t)15);
    return block;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the pool is zero */
}

/* Blocks lie one behind the other: the old one is no longer than up to here. */
void *realloc(void *block, size_t size)
{
    char *moved = malloc(size);
    size_t old = block == NULL ? 0 : (size_t)(moved - (char *)block);

    if (block != NULL)
        memcpy(moved, block, old < size ? old : size);
    return moved;
}

static void ask_first(void)
{
    victim_keep(malloc(10));
}

__attribute__((section(".preinit_array"),
               used)) static void (*const first)(void) = ask_first;

int main(void)
{
    REQUIRE(pool != NULL);
    victim_say("done\n");
    return 0;
}
