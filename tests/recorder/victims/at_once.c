/* SPDX-License-Identifier: Apache-2.0 */
/*
 * at_once.c - blocks that are freed before the next allocation, and others
 *
 * In each of 1,000 rounds two of five are temporary: the last of a chain of
 * reallocs, which end none at once, and the later one of two.
 */
#include <stdlib.h>

enum { ROUNDS = 1000 };

static void *volatile blocks[3];

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
    return 0;
}
