/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds_of_memory.c - a heap and maps with peaks at different times
 *
 * It reserves 8 GiB, then maps 64 MiB, touches and unmaps them, and then its
 * heap has its peak: threads_hold() from two threads, with argv[1] "threads",
 * or one_holds(). Small maps and blocks from before_and_after() come first and
 * last.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 1000, EARLY = 64 << 20, SMALL = 1 << 20, THREADS = 2 };

static void *blocks[THREADS][BLOCKS];

static __attribute__((noinline)) void *map(size_t size, int protection)
{
    void *mapped =
        mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    return mapped;
}

static __attribute__((noinline)) void reserve(void)
{
    map((size_t)8 << 30, PROT_NONE);
}

static __attribute__((noinline)) void map_early(void)
{
    munmap(memset(map(EARLY, PROT_READ | PROT_WRITE), 1, EARLY), EARLY);
}

static __attribute__((noinline)) void before_and_after(void)
{
    munmap(map(SMALL, PROT_READ | PROT_WRITE), SMALL);
    for (int i = 0; i < BLOCKS; i++)
        blocks[0][i] = malloc(100);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[0][i]);
}

static __attribute__((noinline)) void one_holds(void **held)
{
    for (int i = 0; i < BLOCKS; i++)
        held[i] = malloc(20000);
}

static void *threads_hold(void *held)
{
    one_holds(held);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int count = argc > 1 && strcmp(argv[1], "threads") == 0 ? THREADS : 0;

    reserve();
    before_and_after();
    map_early();
    for (int i = 0; i < count; i++)
        REQUIRE(pthread_create(&threads[i], NULL, threads_hold, blocks[i]) ==
                0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (count == 0)
        one_holds(blocks[0]);
    for (int i = 0; i < THREADS; i++)
        for (int j = 0; j < BLOCKS; j++)
            free(blocks[i][j]);
    before_and_after();
    return 0;
}
