/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm.c - four threads allocate and free each other's blocks while profiling
 * is switched on and off
 *
 * After all is freed, all rows are zero.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tags/rows.h"

enum { THREADS = 4, ROUNDS = 30000, SLOTS = 256, SWITCHES = 2000 };

static _Atomic(void *) slots[SLOTS];
static atomic_int running = THREADS;

static void *allocate(unsigned random)
{
    switch (random % 5) {
    case 0:
        return malloc(random % 500);
    case 1:
        return calloc(1, 1 + random % 500);
    case 2:
        return strdup("a storm");
    case 3:
        return realloc(malloc(5), 1 + random % 900);
    default:
        return NULL;
    }
}

static void *work(void *seed)
{
    unsigned random = (unsigned)(uintptr_t)seed;

    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525u + 1013904223u;
        free(atomic_exchange(&slots[(random >> 8) % SLOTS],
                             allocate(random >> 16)));
    }
    atomic_fetch_sub(&running, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct rows rows;

    for (uintptr_t i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
    for (int i = 0; i < SWITCHES || atomic_load(&running) > 0; i++)
        EXPECT(tally_sysctl(i % 2 == 0 ? "vm.mem_profiling=0"
                                       : "vm.mem_profiling=1") == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    EXPECT_FILE(0, 0);
    rows = rows_of(__FILE__, 0);
    EXPECT(rows.count == 5);
    return 0;
}
