/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_threads.c - 400 threads at once, whose blocks other threads free
 *
 * Each thread allocates 500 blocks for its neighbour, and frees those from its
 * other neighbour: sums are exact though no thread's own are.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 400, BLOCKS = 500 };

static void *blocks[THREADS][BLOCKS];
static pthread_barrier_t all_made;

static void *in_thread(void)
{
    return victim_keep(malloc(72));
}

static void *run(void *argument)
{
    void **own = argument;
    size_t number = (size_t)(own - &blocks[0][0]) / BLOCKS;
    void **other = blocks[(number + 1) % THREADS];

    for (int i = 0; i < BLOCKS; i++)
        own[i] = in_thread();
    pthread_barrier_wait(&all_made);
    for (int i = 0; i < BLOCKS; i++) {
        if (i % 5 != 0)
            free(other[i]);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    REQUIRE(pthread_barrier_init(&all_made, NULL, THREADS) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, blocks[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    return 0;
}
