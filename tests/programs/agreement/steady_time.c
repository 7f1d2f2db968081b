/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steady_time.c - a fixed clock, for both counters
 *
 * Preloaded. libxml2 seeds its hash tables from time(), so two runs in
 * different seconds allocate differently; with this shim they do not. bash
 * stores its parent's pid as text, which has four or five digits.
 */
#include <time.h>
#include <unistd.h>

enum { ANY_SECOND = 1500000000, ANY_PARENT = 10000 };

pid_t getppid(void)
{
    return ANY_PARENT;
}

time_t time(time_t *out)
{
    if (out)
        *out = ANY_SECOND;
    return ANY_SECOND;
}
