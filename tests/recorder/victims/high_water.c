/* SPDX-License-Identifier: Apache-2.0 */
/*
 * high_water.c - who held most, when that was most by little
 *
 * argv[1] says how it ends: "ebb" frees all before the end, "flood" holds the most
 * at the end.
 */
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 1000, FIRST = 100000, SECOND = 100050, LITTLE = 5000 };

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

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    fill_first();
    empty();
    fill_second();
    if (strcmp(argv[1], "ebb") == 0)
        empty();
    take_little();
    free(kept);
    return 0;
}
