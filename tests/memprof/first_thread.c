/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_thread.c - a single thread counts on a shorter path than several
 *
 * If any thread changes something, even before libc reports a second thread,
 * all threads notice it before their next block.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/memprof/tracker.h"

static struct memprof *profile;
static _Atomic int step;

static void await(int value)
{
    while (step != value)
        usleep(100);
}

static void run(void *(*work)(void *))
{
    pthread_t thread;

    CHECK_IS(pthread_create(&thread, NULL, work, NULL), 0);
    CHECK_IS(pthread_join(thread, NULL), 0);
}

/* Allocations of pthread_create() itself belong to the creator. */
static void *allocates(void *unused)
{
    unsigned minor = allocs_minor;

    (void)unused;
    for (int i = 0; i < 10; i++)
        free(malloc(10));
    CHECK_IS(allocs_minor - minor, 10);
    return NULL;
}

static void check_alone(void)
{
    profile = start_at(1);
    free(malloc(10));
    expect("alone", 1, 0, 0, 1, 0);
    CHECK_IS(memprof_stop(), 0);
    free(malloc(10));
    expect("stopped alone", 0, 0, 0, 0, 0);
    CHECK_IS(memprof_discard(profile), 0);
    profile = start_at(1);
    free(malloc(10));
    expect("started anew", 1, 0, 0, 1, 0);
    run(allocates);
    forget_all();
    free(malloc(10));
    expect("after a thread", 1, 0, 0, 1, 0);
    end(profile);
}

/* It counts nothing before it stops the first thread's profile. */
static void *stops(void *unused)
{
    (void)unused;
    CHECK_IS(memprof_stop(), 0);
    step = 1;
    await(2);
    profile = start_at(1);
    step = 3;
    await(4);
    return NULL;
}

static void check_changed_by_another(void)
{
    struct memprof *first = profile = start_at(1e-9);
    pthread_t thread;
    void *block;

    for (int i = 0; i < 1000; i++)
        free(malloc(10));
    CHECK_IS(pthread_create(&thread, NULL, stops, NULL), 0);
    await(1);
    CHECK_IS(memprof_is_sampling(), 0);
    free(malloc(10));
    step = 2;
    await(3);
    forget_all();
    block = malloc(10);
    expect("started by another", 1, 0, 0, 0, 0);
    free(block);
    step = 4;
    CHECK_IS(pthread_join(thread, NULL), 0);
    end(profile);
    CHECK_IS(memprof_discard(first), 0);
}

static void *works_in_a_domain(void *unused)
{
    struct memprof *own;

    (void)unused;
    CHECK_IS(memprof_domain_new(), 0);
    run(allocates);
    CHECK_IS(memprof_stop(), 0);
    own = start_at(1);
    run(allocates);
    allocates(NULL);
    end(own);
    return NULL;
}

static void check_domains(void)
{
    profile = start_at(1);
    free(malloc(10));
    run(works_in_a_domain);
    CHECK_IS(memprof_is_sampling(), 0);
    forget_all();
    CHECK_IS(memprof_discard(profile), 0);
}

static void in_a_thread_of_libc(union sigval value)
{
    (void)value;
    allocates(NULL);
    step = 5;
}

/* A thread created by libc itself. */
static void check_timer(void)
{
    struct sigevent event = { .sigev_notify = SIGEV_THREAD };
    struct itimerspec soon = { .it_value = { .tv_nsec = 1000000 } };
    timer_t timer;

    profile = start_at(1);
    free(malloc(10));
    event.sigev_notify_function = in_a_thread_of_libc;
    CHECK_IS(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    CHECK_IS(timer_settime(timer, 0, &soon, NULL), 0);
    await(5);
    CHECK_IS(timer_delete(timer), 0);
    end(profile);
}

/* Also in a child that begins with one thread. */
static int in_child(void (*check)(void))
{
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        alarm(60);
        step = 0;
        failures = 0;
        forget_all();
        check();
        _exit(failures != 0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    CHECK_IS(in_child(check_alone), 0);
    CHECK_IS(in_child(check_changed_by_another), 0);
    CHECK_IS(in_child(check_domains), 0);
    CHECK_IS(in_child(check_timer), 0);
    check_timer();
    return end_of_test();
}
