/* SPDX-License-Identifier: Apache-2.0 */
/*
 * many_ways.h - one stack for each number
 *
 * Each bit of a number selects one of two calls on the way to ask(), so that
 * each number has its own stack. The victim defines ask() and the sizes.
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

/* Call ask() by the stack of a number below 2^`bits`, at one of WAY_PLACES
   addresses, like programs do. */
static __attribute__((noinline)) void go_way(unsigned long number, int bits)
{
    victim_keep(alloca(16 + 16 * (number % WAY_PLACES)));
    descend(number, bits);
    __asm__ volatile("" ::: "memory");
}
