/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_library.c - a library linked with -z initfirst: its constructor runs
 * before libc's
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *library_block(void);

static void *held;

__attribute__((constructor)) static void library_constructor(void)
{
    held = victim_keep(malloc(200));
    victim_keep(malloc(100));
}

void *library_block(void)
{
    return held;
}
