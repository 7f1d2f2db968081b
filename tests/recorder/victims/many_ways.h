/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_ways.h - as many stacks as there are numbers
 *
 * Each bit of a number is one of two calls on the way to ask(), so that no two
 * numbers have the same way. It is the victim's, and says what is asked for.
 */
#pragma once

#include <alloca.h>

#include "tests/recorder/victims/victim.h"

enum { WAY_PLACES = 1021 };

static void ask(void);

static __attribute__((noinline)) void descend(unsigned long number, int bits)
{
    if (bits == 0)
        ask();
    else if (number & 1)
        descend(number >> 1, bits - 1);
    else
        descend(number >> 1, bits - 1);
    __asm__ volatile("" ::: "memory");
}

/* Each of 2^`bits` numbers at one of many places of the stack, as in
   programs. */
static __attribute__((noinline)) void go_way(unsigned long number, int bits)
{
    victim_keep(alloca(16 + 16 * (number % WAY_PLACES)));
    descend(number, bits);
    __asm__ volatile("" ::: "memory");
}
