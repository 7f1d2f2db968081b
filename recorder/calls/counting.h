/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counting.h - the recorder as carrier of sampling/countdown/countdown.h
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "ledger/space/process.h"
#include "recorder/real_functions.h"
#include "sampling/countdown/countdown.h"
#include "sampling/limits/limits.h"

/* counts of the calling thread */
extern HIDDEN _Thread_local struct counted_thread *counting_thread;

/* Return true for a size whose amount would wrap to about 0: ask the clients
   about it in the slow path, though there cannot be so much. */
static inline bool counting_wraps(size_t size)
{
    return size > SIZE_MAX - 2 * COUNTDOWN_WORD;
}

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

/* Take back a block that passed but got no memory. Return NULL. */
void *counting_fail(size_t size);

/*
 * Return the bytes of a block as its allocator counts them, for limits on the
 * live bytes of a process: blocks from before the first limit are freed too.
 */
static inline int64_t live_bytes_of(void *block)
{
    return block == NULL ? 0 : (int64_t)real.malloc_usable_size(block);
}

/* Add; return false if the thread must check its limits. */
static inline bool live_bytes_pass(int64_t added)
{
    if (LIKELY(limits_room_of(counting_thread)->scopes.live != NULL))
        return limits_pass_live(counting_thread, added);
    limits_add_live(added);
    return true;
}

static inline void live_bytes_add(int64_t added)
{
    if (UNLIKELY(!live_bytes_pass(added)))
        limits_add_live(0);
}
