/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_covered.c - a library that fills memory of its namespace's malloc */
#include <stdlib.h>
#include <string.h>

void *fill_namespace(void);

/* Return the last block. */
void *fill_namespace(void)
{
    char **block = NULL;

    for (int i = 0; i < 400; i++) {
        char **next = memset(malloc(50000), 1, 50000);

        *next = (char *)block;
        block = next;
    }
    return block;
}
