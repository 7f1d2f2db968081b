/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steady_time.c - a clock that stands still, for both who count
 *
 * Preloaded. libxml2 seeds its hash tables from time(), so two runs in
 * different seconds allocate differently; with this they do not.
 */
#include <time.h>

enum { ANY_SECOND = 1500000000 };

time_t time(time_t *out)
{
    if (out)
        *out = ANY_SECOND;
    return ANY_SECOND;
}
