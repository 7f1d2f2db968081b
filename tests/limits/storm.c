/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.c - 64 threads with scopes, which free each other's blocks and end
 *
 * The count of each scope is exact, whatever the others do, while signal
 * handlers call limits_interrupted().
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

enum { THREADS = 64, AT_ONCE = 8, ROUNDS = 300, SHELF = 256 };

static void *shelf[SHELF];
static unsigned wrong;

static void ask(int signal)
{
    (void)signal;
    if (limits_interrupted() < 0)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
}

static void pass_on(unsigned place, void *block)
{
    free(__atomic_exchange_n(&shelf[place % SHELF], block, __ATOMIC_ACQ_REL));
}

static void *work(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument * 2654435761u + 1;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct limit_scope outer, inner;
        uint64_t limit, sum = 0, bytes = 0, all = 0;

        seed = seed * 1664525 + 1013904223;
        limit = 100 + (seed >> 20);
        limits_begin_allocation(&outer, 1 << 20, LIMIT_FLAG);
        limits_begin_allocation(&inner, limit, LIMIT_ENOMEM);
        for (;;) {
            size_t size = (seed = seed * 1664525 + 1013904223) >> 25;
            void *block = malloc(size);

            if (block == NULL) {
                if (sum + size < limit)
                    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
                break;
            }
            sum += size;
            if (sum >= limit)
                __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
            pass_on(seed >> 8, block);
        }
        if (limits_interrupted() != 1 || limits_end(&inner, &bytes) != 1 ||
            limits_end(&outer, &all) != 0 || bytes != sum || all != sum)
            __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
        if (round % 100 == 99)
            limits_set_global((seed & 1) != 0 ? INT64_MAX : -1);
    }
    return NULL;
}

int main(void)
{
    const struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
                              .sigev_signo = SIGALRM };
    timer_t timer;

    signal(SIGALRM, ask);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (unsigned i = 0; i < THREADS; i += AT_ONCE) {
        pthread_t threads[AT_ONCE];

        for (unsigned j = 0; j < AT_ONCE; j++)
            pthread_create(&threads[j], NULL, work, (void *)(uintptr_t)(i + j));
        for (unsigned j = 0; j < AT_ONCE; j++)
            pthread_join(threads[j], NULL);
    }
    timer_delete(timer);
    for (unsigned i = 0; i < SHELF; i++)
        free(shelf[i]);
    expect("storm", "every scope is exact", wrong == 0);
    return expect_status();
}
