/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cortex_m.h - registers and instructions used by the port
 *
 * Tests on a host replace this file by TALLY_CORTEX_M_HEADER. Other processors
 * do not compile: their lock would do nothing.
 */
#pragma once

#include <stdint.h>

#if defined __ARM_ARCH_PROFILE && __ARM_ARCH_PROFILE == 'M'

/* Mask interrupts; return non-zero if they were masked before. */
static inline uint32_t interrupts_mask(void)
{
    uint32_t before;

    __asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void interrupts_restore(uint32_t before)
{
    __asm volatile("msr primask, %0" ::"r"(before) : "memory");
}

#define CORTEX_M_REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL            CORTEX_M_REGISTER(0xe000e010)
#define SYSTICK_RELOAD             CORTEX_M_REGISTER(0xe000e014)
#define SYSTICK_CURRENT            CORTEX_M_REGISTER(0xe000e018)
#define INTERRUPT_STATE            CORTEX_M_REGISTER(0xe000ed04)

#elif defined TALLY_CORTEX_M_HEADER
#include TALLY_CORTEX_M_HEADER
#else
#error "no way to mask interrupts is known on this machine: Cortex-M alone"
#endif

enum {
    SYSTICK_STOP = 4,             /* processor clock */
    SYSTICK_RUN = 7,              /* ... interrupt, on */
    SYSTICK_IS_PENDING = 1 << 26, /* in INTERRUPT_STATE */
};
