/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator_asleep.c - malloc defined in the executable, not usable before
 * main
 *
 * GCL does so: main creates its heap. Neither libc nor the loader calls a
 * program's malloc before main, so a preload must not cause such calls.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
static bool is_awake;

void *malloc(size_t size)
{
    size_t start = used;

    REQUIRE(is_awake);
    used += (size + 15) & ~(size_t)15;
    REQUIRE(used <= sizeof pool);
    return pool + start;
}

void free(void *block)
{
    REQUIRE(is_awake);
    (void)block;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size); /* the pool is zero */
}

void *realloc(void *block, size_t size)
{
    REQUIRE(block == NULL);
    return malloc(size);
}

int main(void)
{
    is_awake = true;
    free(victim_keep(malloc(10)));
    free(victim_keep(strdup("through libc")));
    victim_say("done\n");
    return 0;
}
