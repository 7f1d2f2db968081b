/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_bytes.h - what blocks take, for who limits what the process holds
 *
 * In bytes as the allocator made them, since blocks from before anybody counted are
 * freed as well. Nothing is asked while core/limits_live.h counts nothing; while it
 * does, entry points never go the lean way.
 */
#ifndef TALLY_RECORDER_LIVE_BYTES_H
#define TALLY_RECORDER_LIVE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "core/limits_room.h"
#include "ledger/export.h"
#include "recorder/counted.h"
#include "recorder/real_functions.h"

/* Before a block is given back or resized. */
static inline int64_t live_bytes_of(void *block)
{
    if (LIKELY(!limits_live_is_counted()) || block == NULL)
        return 0;
    return (int64_t)real.malloc_usable_size(block);
}

/*
 * A block that took `before` is `block` now, or nothing. False: the thread is to look
 * at its limits, as it does when its clients are told of a block.
 */
static inline bool live_bytes_pass(int64_t before, void *block)
{
    int64_t added;

    if (LIKELY(!limits_live_is_counted()))
        return true;
    added = live_bytes_of(block) - before;
    if (LIKELY(limits_room_of(counted_own)->scopes.live != NULL))
        return limits_pass_live(counted_own, added);
    limits_add_live(added);
    return true;
}

static inline void live_bytes_change(int64_t before, void *block)
{
    if (UNLIKELY(!live_bytes_pass(before, block)))
        limits_add_live(0);
}

#endif /* TALLY_RECORDER_LIVE_BYTES_H */
