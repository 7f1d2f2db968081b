/* SPDX-License-Identifier: Apache-2.0 */
/*
 * at_once.c - blocks that are freed before the next allocation, and others
 *
 * In each of 1,000 rounds two of five are temporary: the last of a chain of
 * reallocs, which end none at once, and the later one of two. Then one of four
 * is: the thread's that it frees itself.
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 1000 };

static void *volatile blocks[3];
static pthread_barrier_t barrier;

static void *allocate(void *unused)
{
    blocks[0] = malloc(40);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    free(blocks[0]);
    blocks[0] = malloc(50);
    return unused;
}

static void allocate_in_two_threads(void)
{
    pthread_t thread;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, allocate, NULL);
    pthread_barrier_wait(&barrier);
    blocks[1] = malloc(60);
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    free(blocks[0]);
    blocks[2] = malloc(70);
    blocks[2] = realloc(blocks[2], 0);
}

int main(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        blocks[0] = malloc(10);
        blocks[0] = realloc(blocks[0], 5000);
        blocks[0] = realloc(blocks[0], 100000);
        free(blocks[0]);
        blocks[1] = malloc(20);
        blocks[2] = malloc(30);
        free(blocks[1]);
        free(blocks[2]);
    }
    allocate_in_two_threads();
    return 0;
}
