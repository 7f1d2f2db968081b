/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tick_clock.h - the processor's own counter, for times that must cost little
 *
 * It counts at one rate, the same on all processors, on machines where the
 * kernel uses it as its clock too; tally record checks that first. What a tick
 * is in nanoseconds must be measured.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "ports/posix/raw_calls.h"

/* Whether this process may read it: a process can be denied that. */
static inline bool tick_clock_is_readable(void)
{
    int state = PR_TSC_SIGSEGV;

    return !raw_failed(raw_call(SYS_prctl, PR_GET_TSC, RAW_ARGUMENT(&state), 0,
                                0, 0, 0)) &&
           state == PR_TSC_ENABLE;
}

/* No sooner than all before it is done, when that is asked for. */
static inline uint64_t tick_clock_read(bool is_after)
{
    if (is_after)
        __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}
