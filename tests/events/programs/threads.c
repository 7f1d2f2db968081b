/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - threads that free each other's blocks
 *
 *     threads THREADS ROUNDS
 *
 * Each round allocates a block, puts it where any thread may take it, and frees
 * what was there.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { PLACES = 64, MOST = 256 };

static void *places[PLACES];
static unsigned rounds;

static void *run(void *argument)
{
    uint32_t state = (uint32_t)(uintptr_t)argument + 1;

    for (unsigned i = 0; i < rounds; i++) {
        void *block;

        state = state * 1664525 + 1013904223;
        block = malloc(16 + (state >> 24));
        free(__atomic_exchange_n(&places[state >> 10 & (PLACES - 1)], block,
                                 __ATOMIC_ACQ_REL));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)atoi(argv[1]) : 1;
    pthread_t threads[MOST];

    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    for (uintptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
