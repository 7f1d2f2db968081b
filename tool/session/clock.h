/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - read a clock of the system */
#pragma once

#include <stdint.h>
#include <time.h>

/* Return the time of a clock in nanoseconds; 0 if the system has no such
   clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Raise *longest to the time since `begin`, in nanoseconds of CLOCK_MONOTONIC,
   if that is longer. */
static inline void clock_keep_longest(uint64_t *longest, uint64_t begin)
{
    uint64_t passed = clock_ns(CLOCK_MONOTONIC) - begin;

    if (passed > *longest)
        *longest = passed;
}
