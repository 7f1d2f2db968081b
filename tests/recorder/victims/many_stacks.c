/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_stacks.c - as many stacks as the argument says
 *
 * Each bit of a number is one of two calls on the way to malloc, so that no two
 * numbers have the same way. What each asks for is 40 bytes, and stays. With a
 * second argument it forks when all are there, and the child goes as many other
 * ways.
 */
#include <alloca.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { BITS = 18, PLACES = 4093 };

static __attribute__((noinline)) void ask(void)
{
    victim_keep(malloc(40));
}

static __attribute__((noinline)) void descend(unsigned long number, int bits)
{
    if (bits == 0)
        ask();
    else if (number & 1)
        descend(number >> 1, bits - 1);
    else
        descend(number >> 1, bits - 1);
    __asm__ volatile("" ::: "memory");
}

/* Each at one of many places of the stack, as in programs. */
static __attribute__((noinline)) void begin(unsigned long number)
{
    victim_keep(alloca(16 + 16 * (number % PLACES)));
    descend(number, BITS);
    __asm__ volatile("" ::: "memory");
}

static void go_all_ways(unsigned long count)
{
    for (unsigned long number = 0; number < count; number++)
        begin(number);
}

static void fork_once(unsigned long count)
{
    pid_t child = fork();
    int status;

    REQUIRE(child >= 0);
    if (child == 0) {
        go_all_ways(count);
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int argc, char **argv)
{
    unsigned long count;

    REQUIRE(argc >= 2);
    count = strtoul(argv[1], NULL, 10);
    REQUIRE(count <= 1ul << BITS);
    go_all_ways(count);
    if (argc > 2)
        fork_once(count);
    return 0;
}
