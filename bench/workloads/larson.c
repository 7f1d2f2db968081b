/* SPDX-License-Identifier: Apache-2.0 */
/*
 * larson.c - threads that free each other's blocks
 *
 * Each thread owns a table of blocks and replaces random ones. In every round
 * the threads pass their tables on, so half of all frees are of other threads'
 * blocks. The pattern is that of Larson and Krishnan's server ("Memory
 * allocation for long-running server applications", 1998).
 *
 * usage: larson THREADS REPLACEMENTS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_THREADS = 8, SLOTS = 20000, ROUNDS = 20 };
enum { SMALLEST = 8, SIZES = 505 };

static void **tables[MOST_THREADS];
static long thread_count;
static long replacements;
static pthread_barrier_t round_end;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void replace_one(void **table, uint64_t random)
{
    size_t slot = (random >> 20) % SLOTS;
    size_t size = SMALLEST + (random >> 40) % SIZES;
    char *block;

    free(table[slot]);
    block = malloc(size);
    block[0] = 1;
    block[size - 1] = 1;
    table[slot] = block;
}

static void *run_thread(void *argument)
{
    long number = (long)(intptr_t)argument;
    uint64_t state = UINT64_C(88172645463325252) + (uint64_t)number * 977;

    for (long round = 0; round < ROUNDS; round++) {
        void **table = tables[(number + round) % thread_count];

        for (long i = 0; i < replacements / ROUNDS; i++)
            replace_one(table, next_random(&state));
        pthread_barrier_wait(&round_end);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];

    thread_count = argc > 1 ? atol(argv[1]) : 2;
    replacements = argc > 2 ? atol(argv[2]) : 10000000;
    if (thread_count < 1 || thread_count > MOST_THREADS) {
        fprintf(stderr, "usage: larson THREADS REPLACEMENTS\n");
        return 2;
    }

    pthread_barrier_init(&round_end, NULL, (unsigned)thread_count);
    for (long i = 0; i < thread_count; i++)
        tables[i] = calloc(SLOTS, sizeof *tables[i]);
    for (long i = 0; i < thread_count; i++)
        pthread_create(&threads[i], NULL, run_thread, (void *)(intptr_t)i);
    for (long i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);

    for (long i = 0; i < thread_count; i++) {
        for (size_t slot = 0; slot < SLOTS; slot++)
            free(tables[i][slot]);
        free(tables[i]);
    }
    return 0;
}
