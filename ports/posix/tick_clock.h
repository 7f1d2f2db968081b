/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tick_clock.h - the processor's time stamp counter, for cheap times
 *
 * It counts at one rate, equal on all processors, on machines whose kernel uses
 * it as its clock; tally record checks that first. The length of a tick must be
 * measured.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "ports/posix/raw_calls.h"

/* Return true if this process may read the counter: a process can be denied
   that. */
static inline bool tick_clock_is_readable(void)
{
    int state = PR_TSC_SIGSEGV;

    return !raw_failed(raw_call(SYS_prctl, PR_GET_TSC, RAW_ARGUMENT(&state), 0,
                                0, 0, 0)) &&
           state == PR_TSC_ENABLE;
}

/* Read the counter; with `is_after`, not before all earlier instructions
   are done. */
static inline uint64_t tick_clock_read(bool is_after)
{
    if (is_after)
        __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}
