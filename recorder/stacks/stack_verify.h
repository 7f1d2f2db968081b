/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_verify.h - checking a stack that the cache knew
 *
 * Only in a library built with TALLY_STACK_VERIFY=N: every Nth stack that the
 * cache knew is followed again, and a difference ends the program. Only
 * tests use it; no other build ends a program.
 */
#ifndef TALLY_RECORDER_STACK_VERIFY_H
#define TALLY_RECORDER_STACK_VERIFY_H

#include <stdint.h>

#include "unwind/unwind.h"

/*
 * `word` stands for the frames of `unwinder` from number `first` on, or the
 * program ends, by a trap instruction that no other code uses.
 */
void stack_verify(uint32_t word, const struct unwinder *unwinder,
                  uint32_t first);

#endif /* TALLY_RECORDER_STACK_VERIFY_H */
