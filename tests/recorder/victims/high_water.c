/* SPDX-License-Identifier: Apache-2.0 */
/*
 * high_water.c - who held most, when that was most by little
 *
 * argv[1] says how it ends: "ebb" frees all before the end, "flood" holds the
 * most at the end; "again" is about a block whose address is handed out twice.
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

/* Each is freed before the next; but for the last, which grows meanwhile. */
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

/* So large that it is mapped, where the one before was. */
static __attribute__((noinline)) void *take_once(void)
{
    kept = malloc(LARGE);
    return kept;
}

static void *take_later(void *unused)
{
    (void)unused;
    free(malloc(FIRST)); /* what the thread needs for itself */
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
