/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cortex_r.h - Cortex-R, in a privileged mode, for machine.h
 *
 * Fast interrupts (FIQ) stay enabled, since many chips cannot mask them: their
 * handlers may not allocate. The counter is that of the performance monitor.
 */
#pragma once

#include <stdint.h>

static inline uint32_t interrupts_mask(void)
{
    uint32_t state;

    __asm volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(state)::"memory");
    return state & 0x80; /* I */
}

static inline void interrupts_restore(uint32_t before)
{
    if (before == 0)
        __asm volatile("cpsie i" ::: "memory");
}

/* Enable the monitor (PMCR) and its counter of cycles (PMCNTENSET). */
static inline void cycles_start(void)
{
    __asm volatile("mcr p15, 0, %0, c9, c12, 0" ::"r"(1));
    __asm volatile("mcr p15, 0, %0, c9, c12, 1" ::"r"(1u << 31));
}

static inline uint32_t cycles_read(void)
{
    uint32_t cycles;

    __asm volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(cycles));
    return cycles;
}

#ifdef __thumb__
#define SEMIHOSTING "svc 0xab"
#else
#define SEMIHOSTING "svc 0x123456"
#endif
#define SEMIHOSTING_OPERATION "r0"
#define SEMIHOSTING_ARGUMENT  "r1"
#define SEMIHOSTING_CHANGES   "memory", "lr"
