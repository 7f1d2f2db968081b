/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_stacks.c - a given number of stacks
 *
 * Each allocates 40 bytes, never freed. With a second argument the program
 * forks at the end, and the child allocates from as many other stacks.
 */
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/many_ways.h"

enum { BITS = 18 };

static __attribute__((noinline)) void ask(void)
{
    victim_keep(malloc(40));
}

static void go_all_ways(unsigned long count)
{
    for (unsigned long number = 0; number < count; number++)
        go_way(number, BITS);
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
