/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_handlers.c - pthread_atfork handlers that allocate in parent and child
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { FORKS = 10 };

static void *held;

static void *in_prepare(void)
{
    return victim_keep(malloc(10));
}

static void *in_parent(void)
{
    return victim_keep(malloc(20));
}

static void *in_child(void)
{
    return victim_keep(malloc(30));
}

static void prepare(void)
{
    held = in_prepare();
}

static void parent(void)
{
    free(held);
    in_parent();
}

static void child(void)
{
    free(held);
    in_child();
}

int main(void)
{
    REQUIRE(pthread_atfork(prepare, parent, child) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t forked = fork();
        int status;

        REQUIRE(forked >= 0);
        if (forked == 0)
            _exit(0);
        REQUIRE(waitpid(forked, &status, 0) == forked);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return 0;
}
