/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_storm.c - fork while eight threads allocate
 *
 * A child allocates, and frees only blocks that it knows. Every second child
 * does nothing, and leaves no ledger.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 8, FORKS = 60 };

static int is_over;

static void *in_thread(void)
{
    return victim_keep(malloc(64));
}

static void *in_child(void)
{
    return victim_keep(malloc(100));
}

static void *run(void *argument)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE))
        free(in_thread());
    return argument;
}

static void run_child(int number)
{
    for (int i = 0; number % 2 == 0 && i < 10; i++)
        in_child();
    _exit(number);
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        int status;

        REQUIRE(child >= 0);
        if (child == 0)
            run_child(i);
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == i);
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    return 0;
}
