/* SPDX-License-Identifier: Apache-2.0 */
/*
 * early_and_late.c - allocate before main and after exit, in program and
 * library
 *
 * The library's constructor runs before the program's and its destructor after
 * it; both allocate in each, and in atexit handlers.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *library_block(void);

static void *held;

static void *in_constructor(void)
{
    return victim_keep(malloc(10));
}

static void *at_exit(void)
{
    return victim_keep(malloc(20));
}

static void *in_destructor(void)
{
    return victim_keep(malloc(30));
}

static void run_at_exit(void)
{
    free(held);
    free(at_exit());
    at_exit();
}

__attribute__((constructor)) static void begin(void)
{
    held = in_constructor();
    in_constructor();
    REQUIRE(atexit(run_at_exit) == 0);
}

__attribute__((destructor)) static void end(void)
{
    free(in_destructor());
    in_destructor();
    victim_say("the program's destructor\n");
}

int main(void)
{
    free(library_block());
    return 0;
}
