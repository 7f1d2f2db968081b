/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_trace_threads.c - the lock and the callbacks under real threads
 *
 * Callbacks change data protected only by the lock, so that ThreadSanitizer
 * would detect two at once.
 */
#include "core/observers/mem_trace.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/time.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 30000 };

static unsigned long told; /* under the lock */

static void count(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    told++;
}

static void flicker(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    told++;
    mbed_mem_trace_disable();
    (void)mbed_mem_trace_malloc(NULL, 1, caller);
    mbed_mem_trace_enable();
    mbed_mem_trace_set_callback(count);
}

static void *operate(void *own)
{
    unsigned long *is_told = own;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!tally_mem_trace_enter())
            continue;
        (void)mbed_mem_trace_malloc(own, i, NULL);
        ++*is_told;
        mbed_mem_trace_unlock();
    }
    return NULL;
}

static void *set_and_take_away(void *unused)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        mbed_mem_trace_set_callback(i % 3 == 0   ? NULL
                                    : i % 3 == 1 ? count
                                                 : flicker);
        if (i % 16 == 0) {
            mbed_mem_trace_lock();
            told += 0;
            mbed_mem_trace_unlock();
        }
    }
    return unused;
}

static unsigned long run(pthread_t *threads)
{
    unsigned long is_told[THREADS] = { 0 }, sum = 0;

    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, operate, &is_told[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += is_told[i];
    }
    return sum;
}

static void every_operation_is_told_once(void **state)
{
    pthread_t threads[THREADS];

    (void)state;
    told = 0;
    mbed_mem_trace_set_callback(count);
    assert_int_equal(run(threads), THREADS * ROUNDS);
    mbed_mem_trace_set_callback(NULL);
    assert_int_equal(told, THREADS * ROUNDS);
}

static void callbacks_come_and_go(void **state)
{
    pthread_t threads[THREADS], changer;

    (void)state;
    mbed_mem_trace_set_callback(count);
    assert_int_equal(pthread_create(&changer, NULL, set_and_take_away, NULL),
                     0);
    (void)run(threads);
    pthread_join(changer, NULL);
    mbed_mem_trace_set_callback(NULL);
    assert_true(tally_mem_trace_enter() == false);
}

static volatile sig_atomic_t handled;

/* No thread holds anything that a callback here would wait for. */
static void operate_in_handler(int signal)
{
    (void)signal;
    handled++;
    if (tally_mem_trace_enter()) {
        (void)mbed_mem_trace_malloc(NULL, 3, NULL);
        mbed_mem_trace_unlock();
    }
    mbed_mem_trace_lock();
    mbed_mem_trace_unlock();
}

static void handlers_never_wait_for_their_thread(void **state)
{
    const struct itimerval often = { { 0, 300 }, { 0, 300 } };
    const struct itimerval never = { 0 };
    struct sigaction action = { .sa_handler = operate_in_handler,
                                .sa_flags = SA_RESTART };
    unsigned long own = 0;

    (void)state;
    sigaction(SIGALRM, &action, NULL);
    mbed_mem_trace_set_callback(count);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 200)
        operate(&own);
    setitimer(ITIMER_REAL, &never, NULL);
    mbed_mem_trace_set_callback(NULL);
    mbed_mem_trace_lock();
    mbed_mem_trace_unlock();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_is_told_once),
        cmocka_unit_test(callbacks_come_and_go),
        cmocka_unit_test(handlers_never_wait_for_their_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
