/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_bytes.h - what blocks take, for limits on what the process holds
 *
 * In bytes as the allocator made them: blocks from before the first limit are freed
 * as well.
 */
#ifndef TALLY_RECORDER_CALLS_LIVE_BYTES_H
#define TALLY_RECORDER_CALLS_LIVE_BYTES_H

#include "recorder/calls/counting.h"
#include "recorder/real_functions.h"
#include "sampling/limits/limits.h"

static inline int64_t live_bytes_of(void *block)
{
    return block == NULL ? 0 : (int64_t)real.malloc_usable_size(block);
}

/* False: the thread is to look at its limits. */
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

#endif /* TALLY_RECORDER_CALLS_LIVE_BYTES_H */
