/* SPDX-License-Identifier: Apache-2.0 */
/* ebb_and_flow.c - hold much for a while, then nothing, then a little */
#include <stdlib.h>
#include <unistd.h>

enum { BLOCKS = 100, BLOCK_SIZE = 65536, WHILE_US = 500000 };

static void *blocks[BLOCKS];

int main(void)
{
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = malloc(BLOCK_SIZE);
    usleep(WHILE_US);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    usleep(WHILE_US);
    for (int i = 0; i < 3; i++)
        blocks[i] = malloc(7);
    return 0;
}
