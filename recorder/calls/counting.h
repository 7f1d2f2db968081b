/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting.h - the recorder as carrier of sampling/countdown/countdown.h
 */
#ifndef TALLY_RECORDER_CALLS_COUNTING_H
#define TALLY_RECORDER_CALLS_COUNTING_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "ledger/space/process.h"
#include "sampling/countdown/countdown.h"

/* The calling thread's counts. */
extern HIDDEN _Thread_local struct counted_thread *counting_thread;

enum counting {
    COUNTING_IS_OFF, /* in this process */
    COUNTING_PASSED,
    COUNTING_IS_DUE, /* the block is not counted: observe_due() */
};

enum counting counting_pass_slow(size_t size);

static inline __attribute__((always_inline)) enum counting
counting_pass(size_t size)
{
    struct counted_thread *thread = counting_thread;

    if (LIKELY(thread->generation == PLAIN_LOAD(&process.counting.generation)))
        return LIKELY(countdown_pass(thread, size)) ? COUNTING_PASSED
                                                    : COUNTING_IS_DUE;
    return counting_pass_slow(size);
}

/* There was no memory for a block that has passed. Returns NULL. */
void *counting_fail(size_t size);

#endif /* TALLY_RECORDER_CALLS_COUNTING_H */
