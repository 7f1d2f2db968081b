/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator_short.c - malloc defined in the executable, with a free that is
 * shorter than a jump
 *
 * Nothing is patched, because frees would be missed. One notice names the
 * function; no figure is wrong, and no code changes.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;

void *malloc(size_t size)
{
    size_t start = used;

    used += (size + 15) & ~(size_t)15;
    REQUIRE(used <= sizeof pool);
    return pool + start;
}

#if defined __x86_64__
__asm__(".globl free\n.type free, @function\n"
        "free: ret\n.size free, 1\n");
#else
void free(void *block)
{
    (void)block;
}
#endif

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
    for (int i = 0; i < 10; i++)
        free(victim_keep(malloc(100)));
    victim_say("done\n");
    return 0;
}
