/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_allocator_counts.c - malloc defined in the executable, which counts its
 * calls
 *
 * It prints the calls from outside: from libc, the loader, and the C++ library
 * where there is one. A preload adds no call.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
static unsigned allocations, frees;

void *malloc(size_t size)
{
    size_t start =
        __atomic_fetch_add(&used, (size + 15) & ~(size_t)15, __ATOMIC_RELAXED);

    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    REQUIRE(start + size <= sizeof pool);
    return pool + start;
}

void free(void *block)
{
    if (block != NULL)
        __atomic_fetch_add(&frees, 1, __ATOMIC_RELAXED);
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

static void say_number(unsigned number)
{
    char text[2] = { (char)('0' + number % 10), '\0' };

    if (number >= 10)
        say_number(number / 10);
    victim_say(text);
}

static void say_counts(const char *when)
{
    victim_say(when);
    say_number(allocations);
    victim_say(" allocations, ");
    say_number(frees);
    victim_say(" frees\n");
}

static void *run(void *argument)
{
    free(victim_keep(strdup("in a thread")));
    return argument;
}

int main(int count, char **arguments)
{
    pthread_t thread;

    /* The loader's message holds the program's path in a buffer that grows. */
    REQUIRE(count > 0);
    arguments[0] = "own";
    say_counts("before main: ");
    free(victim_keep(malloc(10)));
    say_counts("one of each: ");
    REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    say_counts("a thread: ");
    REQUIRE(dlsym(RTLD_DEFAULT, "no_such_name_anywhere") == NULL);
    REQUIRE(dlerror() != NULL);
    say_counts("a name that is not there: ");
    return 0;
}
