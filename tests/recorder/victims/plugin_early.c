/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plugin_early.c - two plugins of one layout, with calls at different addresses
 *
 * Built twice: with the call of plugin_early_block() before the padding, and
 * with the call of plugin_late_block() after it.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

#define FILL __asm__ volatile(".fill 256, 1, 0x90")

void *plugin_block(void);

#ifdef LATE
static void *plugin_late_block(void)
{
    FILL;
    return victim_keep(malloc(22));
}
#define BLOCK plugin_late_block
#else
static void *plugin_early_block(void)
{
    void *block = victim_keep(malloc(11));

    FILL;
    return block;
}
#define BLOCK plugin_early_block
#endif

void *plugin_block(void)
{
    return BLOCK();
}
