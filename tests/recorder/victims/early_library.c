/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early_library.c - a library that allocates in its constructor and destructor
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

__attribute__((destructor)) static void library_destructor(void)
{
    free(victim_keep(malloc(430)));
    victim_keep(malloc(500));
    victim_say("the library's destructor\n");
}

void *library_block(void)
{
    return held;
}
