/* SPDX-License-Identifier: Apache-2.0 */
/* tags.c - blocks charged to tagged lines */
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
