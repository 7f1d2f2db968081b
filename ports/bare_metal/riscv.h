/* SPDX-License-Identifier: Apache-2.0 */
/*
 * riscv.h - RISC-V of 32 bits, in machine mode, for machine.h
 *
 * The counter is mcycle, which many chips stop while they wait for an
 * interrupt.
 */
#pragma once

#include <stdint.h>

static inline uint32_t interrupts_mask(void)
{
    uint32_t state;

    __asm volatile("csrrci %0, mstatus, 8" : "=r"(state)::"memory");
    return (state & 8) ^ 8; /* MIE */
}

static inline void interrupts_restore(uint32_t before)
{
    __asm volatile("csrs mstatus, %0" ::"r"(before ^ 8) : "memory");
}

static inline void cycles_start(void)
{
}

static inline uint32_t cycles_read(void)
{
    uint32_t cycles;

    __asm volatile("csrr %0, mcycle" : "=r"(cycles));
    return cycles;
}

/* The three instructions must be in one page, and of 4 bytes each. */
#define SEMIHOSTING                                             \
    ".option push\n\t.option norvc\n\t.balign 16\n\t"           \
    "slli zero, zero, 0x1f\n\tebreak\n\tsrai zero, zero, 7\n\t" \
    ".option pop"
#define SEMIHOSTING_OPERATION "a0"
#define SEMIHOSTING_ARGUMENT  "a1"
#define SEMIHOSTING_CHANGES   "memory"
