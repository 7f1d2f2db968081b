/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_depth.c - how deep allocation goes, in bytes of stack
 *
 * Runs each step on a painted stack and prints how much paint is gone: first
 * calls at new places, which are the slow path, and repeated ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/recorder/victims/victim.h"

enum { STACK = 65536, PAINT = 0xa7 };

static ucontext_t back, coroutine;
static unsigned char *stack;
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

static size_t depth_of(void (*step)(void))
{
    size_t unused = 0;

    memset(stack, PAINT, STACK);
    REQUIRE(getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = STACK;
    coroutine.uc_link = &back;
    makecontext(&coroutine, step, 0);
    REQUIRE(swapcontext(&back, &coroutine) == 0);
    while (stack[unused] == PAINT)
        unused++;
    return STACK - unused;
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } steps[] = {
        { "nothing", nothing },
        { "first_call", first_call },
        { "warm_call", warm_call },
        { "warm_free", warm_free },
        { "first_free", first_free },
        { "first_calloc", first_calloc },
        { "first_realloc", first_realloc },
    };

    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stack != MAP_FAILED);
    for (int i = 0; i < 100; i++) { /* libc's own caches, and the warm place */
        free(request(24));
        free(calloc(3, 8));
        blocks[3] = realloc(NULL, 32);
        free(blocks[3]);
    }
    depth_of(warm_call); /* its whole stack is known from now on */
    free(blocks[1]);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        size_t depth = depth_of(steps[i].run);

        printf("%s %zu\n", steps[i].name, depth);
    }
    return 0;
}
