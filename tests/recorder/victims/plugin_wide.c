/* SPDX-License-Identifier: Apache-2.0 */
/* plugin_wide.c - plugins with the same code but for the frame size ROOM */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *plugin_block(void);

void *plugin_block(void)
{
    volatile char room[ROOM];
    void *block;

    room[0] = 1;
    (void)room[0];
    block = victim_keep(malloc(24));
    free(block);
    return block;
}
