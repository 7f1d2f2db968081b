/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cycle_clock.c - the port's clock, from a counter of cycles
 *
 * The counter wraps after 2^32 cycles. Rounds of the profiler or
 * tally_clock_tick() must read the clock within that time. The code avoids
 * 64-bit division, which most 32-bit processors lack.
 */
#include "ports/bare_metal/machine.h"
#include "tally/bare_metal.h"
#include "tally/port.h"

#ifndef SYSTICK_CONTROL

enum { NS_PER_MICROSECOND = 1000, HZ_PER_MEGAHERTZ = 1000000 };

static uint64_t microseconds;
static uint32_t counted; /* cycles of the counter that `microseconds` covers */
static uint32_t cycles_per_microsecond; /* 0: not started */

void tally_clock_start(uint32_t hz)
{
    uint32_t key = tally_port_lock();

    microseconds = 0;
    tally_time_restarts();
    cycles_per_microsecond = hz / HZ_PER_MEGAHERTZ;
    if (cycles_per_microsecond == 0)
        cycles_per_microsecond = 1;
    cycles_start();
    counted = cycles_read();
    tally_port_unlock(key);
}

__attribute__((weak)) uint64_t tally_port_time_ns(void)
{
    uint32_t key = tally_port_lock();
    uint64_t now;

    if (cycles_per_microsecond != 0) {
        uint32_t passed = (cycles_read() - counted) / cycles_per_microsecond;

        microseconds += passed;
        counted += passed * cycles_per_microsecond;
    }
    now = microseconds * NS_PER_MICROSECOND;
    tally_port_unlock(key);
    return now;
}

void tally_clock_tick(void)
{
    (void)tally_port_time_ns();
}

#endif
