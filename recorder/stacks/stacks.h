/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - an allocation, charged to the call or to all that led there
 *
 * stacks_alloc() saves the registers that the program had, for following its
 * stack needs them, and ends up in record.c when no stack is wanted.
 */
#ifndef TALLY_RECORDER_STACKS_H
#define TALLY_RECORDER_STACKS_H

#include <stddef.h>
#include <stdint.h>

/* Returns `block`, so that entry points can end in a jump. */
void *stacks_alloc(void *block, size_t size, uintptr_t caller);

struct unwind_origin;

/*
 * The word of a whole stack's site; 0: there is no room. Of a stack that cannot
 * be looked at now it is that of `caller` alone.
 */
uint32_t stacks_word(const struct unwind_origin *origin, uintptr_t caller);

/* After mlockall. */
void stacks_unlock(void);

#endif /* TALLY_RECORDER_STACKS_H */
