/* SPDX-License-Identifier: Apache-2.0 */
/* port.c - tally/port.h on Zephyr: the lock and the clock */
#include "tally/port.h"

#include <zephyr/kernel.h>

uint32_t tally_port_lock(void)
{
    return irq_lock();
}

void tally_port_unlock(uint32_t key)
{
    irq_unlock(key);
}

/* The core calls it under its lock. A counter of 32 bits must be read once
   while it wraps, as rounds do. */
uint64_t tally_port_time_ns(void)
{
#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
    return k_cyc_to_ns_floor64(k_cycle_get_64());
#else
    static uint64_t cycles;

    cycles += (uint32_t)(k_cycle_get_32() - (uint32_t)cycles);
    return k_cyc_to_ns_floor64(cycles);
#endif
}
