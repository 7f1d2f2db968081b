/* SPDX-License-Identifier: Apache-2.0 */
/* peak.c - the peak of the heap, at any time */
#include <stdio.h>
#include <stdlib.h>

#include "tally/mbed_stats.h"

enum { SMALL = 1000, LARGE = 500000 };

static void *volatile block;

int main(void)
{
    mbed_stats_heap_t before, after, later;

    mbed_stats_heap_get(&before); /* libc allocates meanwhile */
    mbed_stats_heap_get(&before);
    block = malloc(SMALL);
    free(block);
    block = malloc(LARGE);
    free(block);
    mbed_stats_heap_get(&after);
    block = malloc(SMALL);
    mbed_stats_heap_get(&later);
    free(block);
    if (after.max_size == before.current_size + LARGE &&
        later.max_size == after.max_size)
        return 0;
    fprintf(stderr, "the most was %u, later %u, of %u before\n", after.max_size,
            later.max_size, before.current_size);
    return 1;
}
