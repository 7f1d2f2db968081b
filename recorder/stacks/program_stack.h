/* SPDX-License-Identifier: Apache-2.0 */
/* program_stack.h - what limits ask of the stack and the code of the program */
#ifndef TALLY_RECORDER_PROGRAM_STACK_H
#define TALLY_RECORDER_PROGRAM_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_origin;

/*
 * The stack pointer of the program's call that returns to `caller`, or below it where
 * that is not found near `origin`; 0: there is no origin.
 */
uintptr_t program_stack_of(const struct unwind_origin *origin,
                           uintptr_t caller);

/* As struct countdown_carrier has them. */
bool program_stack_is_own(uintptr_t low, uintptr_t high);
bool program_stack_same_function(uintptr_t a, uintptr_t b);
uintptr_t program_stack_call_in(uintptr_t place, uintptr_t frame);

#endif /* TALLY_RECORDER_PROGRAM_STACK_H */
