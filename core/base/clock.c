/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - hold the time while the port's clock is behind it */
#include "core/base/clock.h"

static uint64_t last_ns; /* latest time returned */

#if !TALLY_HAS(OS)
uint64_t tally_time_ns(void)
{
    uint32_t key = tally_port_lock();
    uint64_t now_ns = tally_port_time_ns();

    if (now_ns < last_ns)
        now_ns = last_ns;
    last_ns = now_ns;
    tally_port_unlock(key);
    return now_ns;
}
#endif

void tally_time_restarts(void)
{
    last_ns = 0;
}
