/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariant.h - what a numbered invariant says, as an assertion
 *
 *     INVARIANT(I2, head <= tail);
 *
 * The label is one that a comment of the same room explains. Debug, sanitizer
 * and fuzz builds trap where the condition is false: no output, no allocation,
 * any context. Release builds evaluate nothing. Never for what a file, a
 * program or the environment can break.
 */
#pragma once

#ifdef TALLY_INVARIANTS
#define INVARIANT(label, condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define INVARIANT(label, condition) ((void)sizeof((condition) ? 1 : 0))
#endif
