/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_two.c - leak one block of 22 bytes at each call */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *plugin_block(void);

static void *plugin_two_block(void)
{
    void *blocks[2];

    for (int i = 0; i < 2; i++)
        blocks[i] = victim_keep(malloc(22));
    free(blocks[0]);
    return blocks[1];
}

void *plugin_block(void)
{
    return plugin_two_block();
}
