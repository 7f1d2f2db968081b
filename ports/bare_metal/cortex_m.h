/* SPDX-License-Identifier: Apache-2.0 */
/* cortex_m.h - Cortex-M, for machine.h */
#pragma once

#include <stdint.h>

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

enum {
    SYSTICK_STOP = 4,             /* processor clock */
    SYSTICK_RUN = 7,              /* ... interrupt, on */
    SYSTICK_IS_PENDING = 1 << 26, /* in INTERRUPT_STATE */
};

#define SEMIHOSTING           "bkpt 0xab"
#define SEMIHOSTING_OPERATION "r0"
#define SEMIHOSTING_ARGUMENT  "r1"
#define SEMIHOSTING_CHANGES   "memory"
