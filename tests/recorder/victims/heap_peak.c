/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_peak.c - a heap that fills twice, to a slightly higher peak the second
 * time
 *
 * Small and large steps reach the peak: they are added to the total in
 * different ways.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void fill(size_t count, size_t size)
{
    void **blocks = victim_keep(calloc(count, sizeof *blocks));

    for (size_t i = 0; i < count; i++)
        blocks[i] = victim_keep(malloc(size));
    for (size_t i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
}

int main(void)
{
    fill(1000, 1000); /* 1,008,000 bytes */
    fill(1001, 1000); /* 1,009,008 */
    fill(10, 100000); /* 1,000,080 */
    fill(100, 10090); /* 1,009,800: the peak */
    fill(1009, 990);  /* 1,006,982 */
    return 0;
}
