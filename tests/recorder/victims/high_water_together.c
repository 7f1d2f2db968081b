/* SPDX-License-Identifier: Apache-2.0 */
/*
 * high_water_together.c - attribute a peak when all threads free at the same
 * instant
 *
 * argv[1] is the number of threads. With more threads than CPUs, the thread
 * that copies the counters may wait for a CPU while all others free.
 */
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 2000, SIZE = 250 };

static pthread_barrier_t is_full;

static __attribute__((noinline)) void *take(void)
{
    void *volatile block = malloc(SIZE);

    return block;
}

static void *rise_and_fall(void *nothing)
{
    static _Thread_local void *blocks[BLOCKS];

    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = take();
    pthread_barrier_wait(&is_full);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    int count = argc < 2 ? 0 : atoi(argv[1]);

    if (count < 1 || count > 64)
        return 2;
    pthread_barrier_init(&is_full, NULL, (unsigned)count);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, rise_and_fall, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
