/* SPDX-License-Identifier: Apache-2.0 */
/*
 * all_sizes.c - small, large and mapped blocks by two threads, counts known
 *
 *                                          allocations  frees        bytes
 *     0 .. 4,999 bytes, odd ones leaked          5,000  2,500   12,497,500
 *     1 KiB doubled to 4 MiB by realloc             13     13    8,387,584
 *     a thread frees the 1,000 x 96 bytes of main
 *                                                1,000  1,000       96,000
 *     and leaves main 500 x 160 to free            500    500       80,000
 *                                                6,513  4,013   21,061,084
 *
 * The loader's and the C library's own blocks for the thread are added; they
 * are equal for each counter, and known from Valgrind.
 */
#include <pthread.h>
#include <stdlib.h>

enum { SIZES = 5000, GIVEN = 1000, LEFT = 500 };

static void *volatile kept;
static void *given[GIVEN];
static void *left[LEFT];

static void *seen(void *block)
{
    kept = block;
    return kept;
}

static void *exchange(void *unused)
{
    for (int i = 0; i < GIVEN; i++)
        free(given[i]);
    for (int i = 0; i < LEFT; i++)
        left[i] = malloc(160);
    return unused;
}

int main(void)
{
    for (size_t size = 0; size < SIZES; size++) {
        void *block = seen(malloc(size));
        if (size % 2 == 0)
            free(block);
    }
    void *grown = seen(malloc(1024));
    for (size_t size = 2048; size <= 4 << 20; size *= 2)
        grown = seen(realloc(grown, size));
    free(grown);

    for (int i = 0; i < GIVEN; i++)
        given[i] = malloc(96);
    pthread_t thread;
    if (pthread_create(&thread, NULL, exchange, NULL) != 0 ||
        pthread_join(thread, NULL) != 0)
        return 1;
    for (int i = 0; i < LEFT; i++)
        free(left[i]);
    return 0;
}
