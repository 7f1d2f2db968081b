/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_depth.c - measure the stack bytes that allocation uses
 *
 * Run each step on a painted stack and print the depth of lost paint: for first
 * calls at new call sites, which take the slow path, and for repeated ones.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

/* Leave MARGIN bytes at the deepest end: other code may use them. */
enum { STACK = 65536, PAINT = 0xa7, MARGIN = 4096 };

static void *blocks[16];

static void nothing(void)
{
}

static void *request(size_t size)
{
    return victim_keep(malloc(size));
}

static void first_call(void)
{
    blocks[0] = victim_keep(malloc(24));
}

static void warm_call(void)
{
    blocks[1] = request(24);
}

static void first_free(void)
{
    free(blocks[0]);
}

static void warm_free(void)
{
    free(blocks[1]);
}

static void first_calloc(void)
{
    blocks[2] = victim_keep(calloc(3, 8));
}

static void first_realloc(void)
{
    blocks[2] = victim_keep(realloc(blocks[2], 32));
}

/* Paint the frame below, which the next function's covers; return its lowest
   address. */
static __attribute__((noinline)) unsigned char *paint(void)
{
    volatile unsigned char area[STACK];

    for (size_t i = 0; i < STACK; i++)
        area[i] = PAINT;
    return victim_keep((void *)(uintptr_t)area);
}

static __attribute__((noinline)) size_t depth_of(void (*step)(void))
{
    const volatile unsigned char *area = paint();
    size_t unused = MARGIN;

    step();
    while (unused < STACK && area[unused] == PAINT)
        unused++;
    return STACK - unused;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } steps[] = {
        { NULL, warm_call }, /* its whole stack is cached from then on */
        { NULL, warm_free },
        { "nothing", nothing },
        { "first_call", first_call },
        { "warm_call", warm_call },
        { "warm_free", warm_free },
        { "first_free", first_free },
        { "first_calloc", first_calloc },
        { "first_realloc", first_realloc },
    };

    for (int i = 0; i < 100; i++) { /* fill caches of libc and the warm site */
        free(request(24));
        free(calloc(3, 8));
        blocks[3] = realloc(NULL, 32);
        free(blocks[3]);
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        size_t depth = depth_of(steps[i].run);

        if (steps[i].name != NULL)
            printf("%s %zu\n", steps[i].name, depth);
    }
    return 0;
}
