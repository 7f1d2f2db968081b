/* SPDX-License-Identifier: Apache-2.0 */
/* host_cortex_m.h - a host in place of a Cortex-M: no interrupts, no clock */
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

static uint32_t cortex_m_absent[4] __attribute__((unused));

#define SYSTICK_CONTROL cortex_m_absent[0]
#define SYSTICK_RELOAD  cortex_m_absent[1]
#define SYSTICK_CURRENT cortex_m_absent[2]
#define INTERRUPT_STATE cortex_m_absent[3]
