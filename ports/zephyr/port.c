/* SPDX-License-Identifier: Apache-2.0 */
/* port.c - tally/port.h on Zephyr: the lock and the clock */
#include "tally/port.h"

#include <zephyr/kernel.h>

#include "ports/zephyr/kernel_version.h"

#if defined CONFIG_TALLY_ZPL_BACKEND_TRACING && \
    defined CONFIG_TRACING_CTF_TIMESTAMP && KERNEL_LAYOUT == 4
#include <zephyr/timing/timing.h>
#define IS_TIMED_BY_KERNEL 1
#else
#define IS_TIMED_BY_KERNEL 0
#endif

uint32_t tally_port_lock(void)
{
    return irq_lock();
}

void tally_port_unlock(uint32_t key)
{
    irq_unlock(key);
}

/* The core calls it under its lock. A counter of 32 bits must be read once
   while it wraps, as rounds do. With the tracing backend of Zephyr 4.5 the
   clock is that of the kernel's events. */
uint64_t tally_port_time_ns(void)
{
#if IS_TIMED_BY_KERNEL
    return timing_ns_get();
#elif defined CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
    return k_cyc_to_ns_floor64(k_cycle_get_64());
#else
    static uint64_t cycles;

    cycles += (uint32_t)(k_cycle_get_32() - (uint32_t)cycles);
    return k_cyc_to_ns_floor64(cycles);
#endif
}
