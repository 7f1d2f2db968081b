/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariant.h - assert a numbered invariant
 *
 *     INVARIANT(I2, head <= tail);
 *
 * A comment in the same folder explains the label. Debug, sanitizer and fuzz
 * builds trap if the condition is false: no output, no allocation, any context.
 * Release builds evaluate nothing. Do not use it for conditions that a file, a
 * program or the environment can break.
 */
#pragma once

/* Check a condition at compile time, also as pedantic C99. */
#define STATIC_ASSERT(condition) \
    __extension__ _Static_assert(condition, #condition)

#ifdef TALLY_INVARIANTS
#define INVARIANT(label, condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(label, condition) ((void)sizeof((condition) ? 1 : 0))
#endif
