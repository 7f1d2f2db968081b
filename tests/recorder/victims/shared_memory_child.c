/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared_memory_child.c - vfork, posix_spawn and CLONE_VM children
 *
 * They run in the parent's memory, so their heap calls count for the parent,
 * and they leave no ledger.
 */
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { ROUNDS = 100, STACK = 65536 };

static void *parents;

static void *in_child(void)
{
    return victim_keep(malloc(24));
}

static void *in_parent(void)
{
    return victim_keep(malloc(48));
}

static void await(pid_t child)
{
    int status;

    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void change_heap(void)
{
    free(parents);
    free(in_child());
    in_child();
}

static void by_vfork(void)
{
    pid_t child = vfork();

    REQUIRE(child >= 0);
    if (child == 0) {
        change_heap();
        _exit(0);
    }
    await(child);
}

static int run(void *argument)
{
    (void)argument;
    change_heap();
    _exit(0);
}

static void by_clone(void)
{
    static char stack[STACK] __attribute__((aligned(16)));
    pid_t child =
        clone(run, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

    REQUIRE(child > 0);
    await(child);
}

static void by_concurrent_clone(void)
{
    static char stack[STACK] __attribute__((aligned(16)));
    pid_t child = clone(run, stack + STACK, CLONE_VM | SIGCHLD, NULL);

    REQUIRE(child > 0);
    await(child);
}

static void by_spawn(void)
{
    static char name[] = "true";
    char *arguments[] = { name, NULL };
    pid_t child;

    REQUIRE(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) ==
            0);
    await(child);
    change_heap();
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    { "vfork", by_vfork },
    { "clone_vfork", by_clone },
    { "clone_vm", by_concurrent_clone },
    { "posix_spawn", by_spawn },
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (argc != 2 || strcmp(argv[1], ways[i].name) != 0)
            continue;
        for (int round = 0; round < ROUNDS; round++) {
            parents = in_parent();
            ways[i].run();
            free(in_parent());
        }
        return 0;
    }
    return VICTIM_FAILED;
}
