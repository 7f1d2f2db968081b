/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_deep.c - allocates and frees for a program that binds it deeply */
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
