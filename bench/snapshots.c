/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.c - a program with many stacks that allocates during snapshots
 *
 * After "ready" two threads allocate and free until standard input ends. Then
 * the program prints how often they slept: a thread sleeps when it waits for
 * another, or for the kernel's lock of its mappings.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/recorder/victims/many_ways.h"

enum { BITS = 17, THREADS = 2 };

static volatile int is_over;
static long sleeps;

static __attribute__((noinline)) void ask(void)
{
    victim_keep(malloc(40));
}

static void *work(void *unused)
{
    struct rusage before, after;

    (void)unused;
    for (int i = 0; i < 1000; i++)
        free(victim_keep(malloc(100)));
    getrusage(RUSAGE_THREAD, &before);
    while (!is_over)
        free(victim_keep(malloc(100)));
    getrusage(RUSAGE_THREAD, &after);
    __atomic_fetch_add(&sleeps, after.ru_nvcsw - before.ru_nvcsw,
                       __ATOMIC_RELAXED);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    pthread_t threads[THREADS];
    char byte;

    for (unsigned long number = 0; number < count; number++)
        go_way(number, BITS);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work, NULL) == 0);
    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) == 1)
        ;
    is_over = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sleeps);
    return 0;
}
