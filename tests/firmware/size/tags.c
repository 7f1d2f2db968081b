/* SPDX-License-Identifier: Apache-2.0 */
/* tags.c - blocks that are charged to the lines that wanted them */
#include "board.h"
#include "tally/malloc.h"

int main(void)
{
    void *block = malloc(10);

    block = realloc(block, 20);
    free(block);
    free(calloc(2, 3));
    return 0;
}
