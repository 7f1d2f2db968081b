/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writes_past_end.c - write one byte too many, which libc_malloc_debug.so
 * reports
 *
 * Without an argument the program is correct. If MALLOC_TRACE names a file,
 * libc writes its calls there.
 */
#include <mcheck.h>
#include <stdlib.h>

#include "victim.h"

int main(int count, char **arguments)
{
    char *blocks[10];

    (void)arguments;
    mtrace();
    for (int i = 0; i < 10; i++)
        blocks[i] = victim_keep(calloc(1, 24));
    if (count > 1)
        blocks[9][24] = 'x';
    victim_say("freeing\n");
    for (int i = 0; i < 10; i++)
        free(blocks[i]);
    return 0;
}
