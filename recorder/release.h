/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - giving a block back: what free and every delete come to */
#ifndef TALLY_RECORDER_RELEASE_H
#define TALLY_RECORDER_RELEASE_H

#include "ledger/record.h"
#include "recorder/alone_calls.h"
#include "recorder/counted.h"
#include "recorder/real_functions.h"
#include "recorder/traced.h"

/* The block is not on the fast path, or not recorded, or the arena's. */
void release_slow(void *block);

/* It was taken out, and the thread should settle. */
void release_settling(void *block, struct reference freed);

/* Inlined everywhere, so CALLER is whoever called free; an argument would cost. */
static inline __attribute__((always_inline)) void release(void *block)
{
    struct reference freed;
    enum record_result result = record_free_fast(block, &freed);

    if (LIKELY(result == RECORD_DONE))
        real.free(block);
    else if (result == RECORD_NOT && record_is_idle())
        real.free(block); /* at once: one jump less where nobody counts */
    else if (result == RECORD_NOT && record_is_nothing())
        ALONE_CALL(free)(block);
    else if (result == RECORD_DUE)
        release_settling(block, freed);
    else if (LIKELY(record_is_usual()))
        release_slow(block);
    else
        counted_free(block, CALLER);
}

#endif /* TALLY_RECORDER_RELEASE_H */
