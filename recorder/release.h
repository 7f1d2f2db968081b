/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - giving a block back: what free and every delete come to */
#ifndef TALLY_RECORDER_RELEASE_H
#define TALLY_RECORDER_RELEASE_H

#include "ledger/record.h"
#include "recorder/bootstrap_arena.h"
#include "recorder/real_functions.h"

/* The block is not on the fast path, or not recorded, or the arena's. */
void release_slow(void *block);

static inline __attribute__((always_inline)) void release(void *block)
{
    if (LIKELY(record_free_fast(block)) ||
        (record_is_idle() && !bootstrap_owns(block)))
        real.free(block);
    else
        release_slow(block);
}

#endif /* TALLY_RECORDER_RELEASE_H */
