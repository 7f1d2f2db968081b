/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - an allocation, charged to the call or to all that led there
 *
 * record_alloc() is the short way where a site is a call. Everything else goes
 * through stacks_alloc(), which saves the registers that the program had, for
 * following its stack needs them, and ends up in record.c when no stack is
 * wanted.
 */
#ifndef TALLY_RECORDER_STACKS_H
#define TALLY_RECORDER_STACKS_H

#include "ledger/record/record.h"
#include "recorder/calls/mode.h"

/* Returns `block`, so that entry points can end in a jump. */
void *stacks_alloc(void *block, size_t size, uintptr_t caller);

/* The same, for a thread that looks in its own cache first. To end in a jump to. */
void *stacks_alloc_known(void *block, size_t size, uintptr_t caller);

struct unwind_origin;

/*
 * The word of a whole stack's site; 0: there is no room. Of a stack that cannot be
 * looked at now it is that of `caller` alone.
 */
uint32_t stacks_word(const struct unwind_origin *origin, uintptr_t caller);

/* After mlockall. */
void stacks_unlock(void);

static inline __attribute__((always_inline)) void *
record_alloc(void *block, size_t size, uintptr_t caller)
{
    char *base = thread_caller_shard();
    enum record_result result;
    uint32_t word;

    if (base == NULL)
        return stacks_alloc_known(block, size, caller);
    if (UNLIKELY(!record_is_on()))
        return mode_choose_off(block);
    word = site_table_find(&heap_sites, caller);
    result = record_alloc_near(block, size, word, base, RECORD_OWN);
    if (LIKELY(result == RECORD_DONE))
        return block;
    return result == RECORD_DUE
               ? record_flush(block, (struct reference){ word, size })
               : stacks_alloc(block, size, caller);
}

#endif /* TALLY_RECORDER_STACKS_H */
