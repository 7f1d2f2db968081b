/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steady_time.c - a clock that stands still, for both who count
 *
 * Preloaded. libxml2 seeds its hash tables from time(), so two runs in
 * different seconds allocate differently; with this they do not. bash keeps
 * its parent's number as text, which has four digits or five.
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
