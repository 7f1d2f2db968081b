/* SPDX-License-Identifier: Apache-2.0 */
/*
 * more_callers.c - a function that hands on its block; told by a letter,
 * another of its callers calls it and allocates itself
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *get(void)
{
    void *block = malloc(1000);

    victim_keep(block);
    return block;
}

static void one(void)
{
    victim_keep(malloc(10));
    get();
}

static void two(void)
{
    get();
}

static void three(void)
{
    get();
}

int main(void)
{
    static void (*const callers[])(void) = { one, two, three };
    char step;

    victim_say(".");
    while (read(STDIN_FILENO, &step, 1) == 1 && step != 'e') {
        callers[step - '1']();
        victim_say(".");
    }
    return 0;
}
