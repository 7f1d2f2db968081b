/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - instructions and registers of the processor that the port uses
 *
 * A header for each processor defines
 *
 *     interrupts_mask()        mask interrupts; return non-zero if they were
 *                              masked before
 *     interrupts_restore(key)  undo it, with the result of interrupts_mask()
 *     cycles_start()           start a counter of 32 bits, which wraps
 *     cycles_read()            read it
 *
 * and may define SEMIHOSTING, for a debugger's files. Cortex-M has SysTick in
 * place of the counter. TALLY_MACHINE_HEADER names a program's own header for
 * another processor. Other processors do not compile: their lock would do
 * nothing.
 *
 * Masked interrupts keep out other code of one processor only.
 */
#pragma once

#include <stdint.h>

#if defined TALLY_MACHINE_HEADER
#include TALLY_MACHINE_HEADER
#elif defined __ARM_ARCH_PROFILE && __ARM_ARCH_PROFILE == 'M'
#include "ports/bare_metal/cortex_m.h"
#elif defined __ARM_ARCH_PROFILE && __ARM_ARCH_PROFILE == 'R'
#include "ports/bare_metal/cortex_r.h"
#elif defined __riscv && __riscv_xlen == 32
#include "ports/bare_metal/riscv.h"
#else
#error "no way to mask interrupts is known on this machine: set \
TALLY_MACHINE_HEADER"
#endif

#ifdef SEMIHOSTING
/* Call a debugger or QEMU; without one, the processor stops. */
static inline int call_debugger(uint32_t operation, const void *argument)
{
    register uint32_t result __asm(SEMIHOSTING_OPERATION) = operation;
    register const void *block __asm(SEMIHOSTING_ARGUMENT) = argument;

    __asm volatile(SEMIHOSTING
                   : "+r"(result)
                   : "r"(block)
                   : SEMIHOSTING_CHANGES);
    return (int)result;
}
#endif
