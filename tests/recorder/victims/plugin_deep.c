/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_deep.c - allocate and free for a program that loads it with
 * RTLD_DEEPBIND
 */
#include <stdlib.h>

void *deep_block(void);
void deep_free(void *block);

void *deep_block(void)
{
    return malloc(64);
}

void deep_free(void *block)
{
    free(block);
}
