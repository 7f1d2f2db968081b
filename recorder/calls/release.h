/* SPDX-License-Identifier: Apache-2.0 */
/* release.h - giving a block back: what free and every delete come to */
#ifndef TALLY_RECORDER_CALLS_RELEASE_H
#define TALLY_RECORDER_CALLS_RELEASE_H

#include "ledger/record/record.h"
#include "recorder/calls/mode.h"
#include "recorder/real_functions.h"

/* In whatever way it is recorded, if it is. */
void release_recorded(void *block);

/* It was taken out, and the thread should settle. */
void release_settling(void *block, struct reference freed);

/* Inlined, so that all that follows is a jump, with the program's return address. */
static inline __attribute__((always_inline)) void release(void *block)
{
    struct reference freed;
    enum record_result result;

    if (UNLIKELY(!mode_is_recording())) {
        MODE_CALL(free)(block);
        return;
    }
    result = record_free_own(block, &freed);
    if (LIKELY(result == RECORD_DONE))
        real.free(block);
    else if (result == RECORD_DUE)
        release_settling(block, freed);
    else
        MODE_CALL(free)(block);
}

#endif /* TALLY_RECORDER_CALLS_RELEASE_H */
