/* SPDX-License-Identifier: Apache-2.0 */
/*
 * high_water_crowd.c - attribute a peak in the last of so many threads that
 * they share counters
 */
#include <pthread.h>
#include <stdlib.h>

enum { CROWD = 12, BLOCKS = 1000, SIZE = 100050 };

static pthread_barrier_t are_there, is_done;

static void *be_there(void *nothing)
{
    free(malloc(1));
    pthread_barrier_wait(&are_there);
    pthread_barrier_wait(&is_done);
    return nothing;
}

static __attribute__((noinline)) void *fill(void)
{
    static void *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(SIZE);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return blocks;
}

static void *be_last(void *nothing)
{
    fill();
    return nothing;
}

int main(void)
{
    pthread_t crowd[CROWD], last;

    pthread_barrier_init(&are_there, NULL, CROWD + 1);
    pthread_barrier_init(&is_done, NULL, CROWD + 1);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&crowd[i], NULL, be_there, NULL);
    pthread_barrier_wait(&are_there);
    pthread_create(&last, NULL, be_last, NULL);
    pthread_join(last, NULL);
    pthread_barrier_wait(&is_done);
    for (int i = 0; i < CROWD; i++)
        pthread_join(crowd[i], NULL);
    return 0;
}
