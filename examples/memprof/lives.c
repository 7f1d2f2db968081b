/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lives.c - measure the lives of blocks with tally/memprof.h
 *
 *     gcc -o lives lives.c $(pkg-config --cflags --libs tally-record)
 *
 * Count the blocks that are allocated, die young, and are promoted. At rate 1
 * each block is sampled; a larger program uses 1e-4.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally/memprof.h"

/* Changed in callbacks: compilers assume that malloc and free do not change
   them. */
static volatile unsigned born, died_young, promoted, died_old;
static volatile size_t words;

static void *be_born(const struct memprof_allocation *allocation, void *context)
{
    born++;
    words += allocation->n_samples;
    return context;
}

static void *grow_old(void *block, void *context)
{
    (void)context;
    promoted++;
    return block;
}

static void die_young(void *block, void *context)
{
    (void)block;
    (void)context;
    died_young++;
}

static void die_old(void *block, void *context)
{
    (void)block;
    (void)context;
    died_old++;
}

/* Serve a request; leave one of its blocks live. */
static void *serve(void)
{
    for (int i = 0; i < 9; i++) {
        void *volatile block = malloc(100); /* otherwise the compiler removes
                                               it */

        free(block);
    }
    return malloc(24);
}

int main(void)
{
    static char anything;
    const struct memprof_tracker tracker = {
        be_born, be_born, grow_old, die_young, die_old, &anything,
    };
    struct memprof *profile;
    void *left[3];

    if (memprof_start(1, INT_MAX, &tracker, &profile) != 0)
        return 1;
    for (int i = 0; i < 3; i++) {
        left[i] = serve();
        memprof_advance(); /* live blocks have outlived their request */
    }
    free(left[0]);
    memprof_stop();
    memprof_discard(profile);
    free(left[1]); /* calls no callback any more */
    free(left[2]);
    printf("%u blocks with %zu words: %u died young, %u were promoted, "
           "%u died later\n",
           born, words, died_young, promoted, died_old);
    return 0;
}
