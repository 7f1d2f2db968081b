/* SPDX-License-Identifier: Apache-2.0 */
/*
 * systick.c - the port's clock on a Cortex-M, from SysTick
 *
 * SysTick counts processor cycles down and raises an interrupt every 10 ms. The
 * port counts these ticks. The code avoids 64-bit division, which a Cortex-M
 * lacks.
 */
#include "ports/bare_metal/machine.h"
#include "tally/bare_metal.h"
#include "tally/port.h"

#ifdef SYSTICK_CONTROL

enum {
    TICKS_PER_SECOND = 100,
    MICROSECONDS_PER_TICK = 10000,
    NS_PER_TICK = 10000000,
    NS_PER_MICROSECOND = 1000,
    HZ_PER_MEGAHERTZ = 1000000,
};

static uint64_t ticks;
static uint32_t cycles_per_tick; /* 0: not started */
static uint32_t cycles_per_microsecond;

void tally_clock_start(uint32_t hz)
{
    uint32_t key = tally_port_lock();

    ticks = 0;
    tally_time_restarts();
    cycles_per_tick = hz / TICKS_PER_SECOND;
    cycles_per_microsecond = hz / HZ_PER_MEGAHERTZ;
    if (cycles_per_microsecond == 0)
        cycles_per_microsecond = 1;
    SYSTICK_CONTROL = SYSTICK_STOP;
    SYSTICK_RELOAD = cycles_per_tick - 1;
    SYSTICK_CURRENT = 0;
    SYSTICK_CONTROL = SYSTICK_RUN;
    tally_port_unlock(key);
}

void tally_clock_tick(void)
{
    uint32_t key = tally_port_lock();

    ticks++;
    tally_port_unlock(key);
}

/* Read the clock with interrupts masked. At 0 SysTick raises its interrupt and
   restarts. Ticks are lost if interrupts are masked for longer than a tick. */
static uint64_t read_ns(void)
{
    uint32_t left = SYSTICK_CURRENT;
    uint64_t whole = ticks;
    uint32_t microseconds = 0;

    if ((INTERRUPT_STATE & SYSTICK_IS_PENDING) != 0) {
        left = SYSTICK_CURRENT;
        whole++;
    }
    if (left != 0 && left < cycles_per_tick)
        microseconds = (cycles_per_tick - left) / cycles_per_microsecond;
    if (microseconds >= MICROSECONDS_PER_TICK)
        microseconds = MICROSECONDS_PER_TICK - 1;
    return whole * NS_PER_TICK + (uint64_t)microseconds * NS_PER_MICROSECOND;
}

__attribute__((weak)) uint64_t tally_port_time_ns(void)
{
    uint32_t key = tally_port_lock();
    uint64_t now = 0;

    if (cycles_per_tick != 0)
        now = read_ns();
    tally_port_unlock(key);
    return now;
}

#endif
