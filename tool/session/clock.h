/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - what a clock of the system says */
#pragma once

#include <stdint.h>
#include <time.h>

/* In nanoseconds; 0: there is no such clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The longest that has passed since a `begin`, of the monotonic clock. */
static inline void clock_keep_longest(uint64_t *longest, uint64_t begin)
{
    uint64_t passed = clock_ns(CLOCK_MONOTONIC) - begin;

    if (passed > *longest)
        *longest = passed;
}
