/* SPDX-License-Identifier: Apache-2.0 */
/* host_systick.h - a host as a Cortex-M: registers of SysTick are variables */
#pragma once

#include "tests/unit/bare_metal/host_machine.h"

__attribute__((weak)) uint32_t host_registers[4]; /* set by tests */

#define SYSTICK_CONTROL host_registers[0]
#define SYSTICK_RELOAD  host_registers[1]
#define SYSTICK_CURRENT host_registers[2]
#define INTERRUPT_STATE host_registers[3]

enum { SYSTICK_STOP, SYSTICK_RUN, SYSTICK_IS_PENDING = 1 << 26 };
