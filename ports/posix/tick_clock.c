/* SPDX-License-Identifier: Apache-2.0 */
/* tick_clock.c - see tick_clock.h */
#include "ports/posix/tick_clock.h"

#include <sys/prctl.h>

#include "ports/posix/raw_calls.h"

bool tick_clock_is_readable(void)
{
#if defined __x86_64__
    int state = PR_TSC_SIGSEGV;

    return !raw_failed(raw_call(SYS_prctl, PR_GET_TSC, RAW_ARGUMENT(&state), 0,
                                0, 0, 0)) &&
           state == PR_TSC_ENABLE;
#elif defined __aarch64__
    return true;
#else
    return false;
#endif
}
