/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_columns.c - inherited blocks that a child frees or resizes, for each
 * kind of fork
 *
 * A child's ledger begins with the live blocks of its parent in a column of its
 * own. A free of such a block lowers its live count, never below zero.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

pid_t _Fork(void);

static void *blocks[10];

static void *before(void)
{
    return victim_keep(malloc(100));
}

static void *in_child(void)
{
    return victim_keep(malloc(50));
}

static void *in_parent(void)
{
    return victim_keep(malloc(70));
}

static pid_t raw_clone(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
}

static const struct {
    const char *name;
    pid_t (*fork)(void);
} forks[] = {
    { "fork", fork },
    { "_Fork", _Fork },
    { "clone", raw_clone },
};

static void run_child(void)
{
    for (int i = 0; i < 4; i++)
        free(blocks[i]);
    for (int i = 0; i < 3; i++)
        in_child();
    blocks[5] = victim_keep(realloc(blocks[5], 60));
    _exit(7);
}

static void run(pid_t (*make_child)(void))
{
    pid_t child;
    int status;

    for (int i = 0; i < 10; i++)
        blocks[i] = before();
    child = make_child();
    REQUIRE(child >= 0);
    if (child == 0)
        run_child();
    free(blocks[9]);
    free(blocks[8]);
    in_parent();
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof forks / sizeof forks[0]; i++) {
        if (argc == 2 && strcmp(argv[1], forks[i].name) == 0) {
            run(forks[i].fork);
            return 0;
        }
    }
    return VICTIM_FAILED;
}
