/* SPDX-License-Identifier: Apache-2.0 */
/* host_machine.h - a host as a machine: no interrupts, and cycles by hand */
#pragma once

#include <stdint.h>

static inline uint32_t interrupts_mask(void)
{
    __asm volatile("" ::: "memory");
    return 0;
}

static inline void interrupts_restore(uint32_t before)
{
    (void)before;
    __asm volatile("" ::: "memory");
}

__attribute__((weak)) uint32_t host_cycles; /* set by tests */

static inline void cycles_start(void)
{
}

static inline uint32_t cycles_read(void)
{
    return host_cycles;
}
