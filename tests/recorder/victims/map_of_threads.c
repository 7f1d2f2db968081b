/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_of_threads.c - stacks of threads that end in every way
 *
 * A stack is charged to the creator of its thread until the thread ends. A
 * stack that the program mapped is mmap memory already. A child holds the stack
 * that it was forked on.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <threads.h>

#include "tests/recorder/victims/victim.h"

enum { STACK = 64 * 4096, OWN = 2 * STACK, DEFAULT = 3 * STACK };

static pthread_barrier_t both;

static void *end(void *argument)
{
    return argument;
}

static void *leave(void *argument)
{
    pthread_exit(argument);
}

static void *stay(void *argument)
{
    pthread_barrier_wait(&both);
    for (;;)
        pause();
    return argument;
}

static void *split(void *argument)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        victim_keep(malloc(1));
        _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    return argument;
}

static int end_thrd(void *argument)
{
    (void)argument;
    return 0;
}

static pthread_t start(void *(*run)(void *))
{
    pthread_attr_t attributes;
    pthread_t thread;

    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, STACK) == 0);
    REQUIRE(pthread_create(&thread, &attributes, run, NULL) == 0);
    if (run == stay)
        pthread_barrier_wait(&both);
    return thread;
}

static void run_to_end(void *(*run)(void *))
{
    REQUIRE(pthread_join(start(run), NULL) == 0);
}

static void run_default(void)
{
    pthread_attr_t attributes;
    thrd_t thread;

    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, DEFAULT) == 0);
    REQUIRE(pthread_setattr_default_np(&attributes) == 0);
    REQUIRE(thrd_create(&thread, end_thrd, NULL) == thrd_success);
    REQUIRE(thrd_join(thread, NULL) == thrd_success);
}

static void run_on_own(void)
{
    void *own = mmap(NULL, OWN, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;

    REQUIRE(own != MAP_FAILED);
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstack(&attributes, own, OWN) == 0);
    REQUIRE(pthread_create(&thread, &attributes, end, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
}

int main(void)
{
    pthread_t cancelled;

    REQUIRE(pthread_barrier_init(&both, NULL, 2) == 0);
    run_to_end(end);
    run_to_end(leave);
    cancelled = start(stay);
    start(stay);
    REQUIRE(pthread_cancel(cancelled) == 0);
    REQUIRE(pthread_join(cancelled, NULL) == 0);
    run_to_end(split);
    run_default();
    run_on_own();
    return 0;
}
