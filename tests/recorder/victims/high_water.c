/* SPDX-License-Identifier: Apache-2.0 */
/*
 * high_water.c - attribute a peak that is higher than others by little
 *
 * argv[1] names the end: "ebb" frees everything first, "flood" has its peak at
 * the end, "again" has a block whose address is handed out twice.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS = 1000,
    FIRST = 100000,
    SECOND = 100050,
    LITTLE = 5000,
    LARGE = 1 << 26
};

static void *blocks[BLOCKS];
static void *volatile kept;

static __attribute__((noinline)) void fill_first(void)
{
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(FIRST);
}

static __attribute__((noinline)) void fill_second(void)
{
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = calloc(1, SECOND);
}

static void empty(void)
{
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
}

/* Allocate blocks, each freed before the next. The last one grows and stays. */
static __attribute__((noinline)) void take_little(void)
{
    for (int i = 0; i < LITTLE; i++) {
        kept = malloc(24);
        free(kept);
    }
    kept = malloc(24);
    kept = realloc(kept, 48);
}

static sem_t is_ready, may_go;

/* Allocate a block large enough to be mapped, at the address of the one
   before. */
static __attribute__((noinline)) void *take_once(void)
{
    kept = malloc(LARGE);
    return kept;
}

static void *take_later(void *unused)
{
    (void)unused;
    free(malloc(FIRST)); /* the thread's own allocations in libc */
    sem_post(&is_ready);
    sem_wait(&may_go);
    return take_once();
}

static int hand_out_twice(void)
{
    pthread_t thread;
    const void *before;
    void *after;

    sem_init(&is_ready, 0, 0);
    sem_init(&may_go, 0, 0);
    pthread_create(&thread, NULL, take_later, NULL);
    sem_wait(&is_ready);
    before = take_once();
    free(kept);
    sem_post(&may_go);
    pthread_join(thread, &after);
    free(after);
    return before == after ? 0 : 3;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    if (strcmp(argv[1], "again") == 0)
        return hand_out_twice();
    fill_first();
    empty();
    fill_second();
    if (strcmp(argv[1], "ebb") == 0)
        empty();
    take_little();
    free(kept);
    return 0;
}
