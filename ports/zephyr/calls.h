/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - functions that the linker redirects, and what receives calls */
#pragma once

#include "tally/mem_trace.h"

/* Begin the function that a call of `name` reaches. */
#define WRAPPED(type, name, parameters) \
    type __real_##name parameters;      \
    type __wrap_##name parameters;      \
    type __wrap_##name parameters

/* The trace's callback, NULL: none. It receives completed allocations, and
   frees that are to happen. No other thread runs, but interrupts do. */
extern mbed_mem_trace_cb_t tally_calls_traced_by;

/* Charge a block to the tag in force, and end its old block's charge.
   Arguments as in tally/mem_trace.h, but `second` of a malloc is 1, and of a
   free 0. */
void tally_calls_charge(uint8_t op, void *result, uintptr_t first,
                        uintptr_t second);
