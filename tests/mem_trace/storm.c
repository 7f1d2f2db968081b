/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.c - threads allocate, while callbacks come and go
 *
 * Callbacks allocate, trace, set one another, disable and enable; threads take
 * the lock and fork, handlers set callbacks. No callback may see
 * two events at once, one inside another, or a block handed out twice.
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/mem_trace.h"

enum { THREADS = 4, CHANGES = 6000, PATIENCE_S = 60, TABLE = 1 << 16 };

static unsigned inside, events, overlaps, twice;
static uintptr_t live[TABLE]; /* under the lock of the trace */
static uint32_t is_over;

static void expect_alone(void)
{
    if (__atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL) != 0)
        __atomic_fetch_add(&overlaps, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&events, 1, __ATOMIC_RELAXED);
}

static void done(void)
{
    __atomic_fetch_sub(&inside, 1, __ATOMIC_ACQ_REL);
}

static void allocates(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    expect_alone();
    free(realloc(calloc(3, 5), 100));
    mbed_mem_trace_free(mbed_mem_trace_malloc(NULL, 1, caller), caller);
    done();
}

static void disables(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    expect_alone();
    mbed_mem_trace_disable();
    done();
    if (events % 2 == 0)
        mbed_mem_trace_enable();
}

static void replaces(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    expect_alone();
    mbed_mem_trace_set_callback(allocates);
    done();
}

static uintptr_t *slot_of(uintptr_t block)
{
    return &live[block / 16 % TABLE];
}

/* At the end, remember the live blocks. */
static void remembers(uint8_t op, void *res, void *caller, ...)
{
    va_list given;
    uintptr_t old = 0;

    expect_alone();
    va_start(given, caller);
    if (op == MBED_MEM_TRACE_FREE || op == MBED_MEM_TRACE_REALLOC)
        old = (uintptr_t)va_arg(given, void *);
    va_end(given);
    if (*slot_of(old) == old)
        *slot_of(old) = 0;
    if (res != NULL) {
        twice += *slot_of((uintptr_t)res) == (uintptr_t)res;
        *slot_of((uintptr_t)res) = (uintptr_t)res;
    }
    done();
}

static void *work(void *number)
{
    unsigned seed = (unsigned)(uintptr_t)number;

    while (__atomic_load_n(&is_over, __ATOMIC_RELAXED) == 0) {
        void *block = malloc((size_t)rand_r(&seed) % 200);

        if (seed % 3 == 0)
            block = realloc(block, (size_t)rand_r(&seed) % 300 + 1);
        free(block);
        free(calloc(2, (size_t)rand_r(&seed) % 50));
    }
    return NULL;
}

/* In the child the lock is free, and the callback is set. */
static bool forks(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        alarm(PATIENCE_S);
        for (unsigned i = 0; i < 50; i++)
            free(malloc(i));
        mbed_mem_trace_lock();
        free(malloc(1));
        mbed_mem_trace_unlock();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static const mbed_mem_trace_cb_t callbacks[] = { allocates, disables, replaces,
                                                 NULL };

static unsigned change(void)
{
    unsigned seed = 7, lost_children = 0;

    for (unsigned i = 0; i < CHANGES; i++) {
        unsigned what = (unsigned)rand_r(&seed) % 8;

        if (what < 4)
            mbed_mem_trace_set_callback(callbacks[what]);
        else if (what == 4)
            mbed_mem_trace_disable();
        else if (what == 5)
            mbed_mem_trace_enable();
        else
            mbed_mem_trace_lock();
        free(malloc(20));
        mbed_mem_trace_unlock(); /* one unlock too many, unless it was locked */
        if (i % 256 == 255)
            lost_children += !forks();
    }
    return lost_children;
}

static void interrupt(int signal)
{
    static unsigned turn;

    (void)signal;
    mbed_mem_trace_set_callback(callbacks[turn++ % 4]);
}

static void set_timer(suseconds_t every_us)
{
    const struct itimerval timer = { { 0, every_us }, { 0, every_us } };

    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Blocks of all threads, with nothing that hides events. */
static void account(void)
{
    mbed_mem_trace_set_callback(remembers);
    usleep(300000);
}

int main(void)
{
    struct sigaction action = { .sa_handler = interrupt,
                                .sa_flags = SA_RESTART };
    pthread_t threads[THREADS];
    unsigned lost_children;

    sigaction(SIGALRM, &action, NULL);
    set_timer(2000);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    lost_children = change();
    set_timer(0);
    account();
    mbed_mem_trace_set_callback(NULL);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (events > 0 && overlaps == 0 && twice == 0 && lost_children == 0)
        return 0;
    fprintf(stderr, "%u events, %u at once, %u blocks out twice, %u children\n",
            events, overlaps, twice, lost_children);
    return 1;
}
