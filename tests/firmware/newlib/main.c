/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - a program that calls malloc and printf, and nothing of Tally */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    char *block = malloc(100);

    printf("%p\n", (void *)block);
    return block == NULL;
}
