/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts.c - how much: blocks and bytes of a place, a stack or all of them
 */
#include "tool/model/profile/amounts.h"

void amounts_add(struct profile_amounts *sum,
                 const struct profile_amounts *more)
{
    sum->inherited_blocks += more->inherited_blocks;
    sum->inherited_bytes += more->inherited_bytes;
    sum->alloc_blocks += more->alloc_blocks;
    sum->alloc_bytes += more->alloc_bytes;
    sum->free_blocks += more->free_blocks;
    sum->free_bytes += more->free_bytes;
    sum->peak_blocks += more->peak_blocks;
    sum->peak_bytes += more->peak_bytes;
    sum->temporary_blocks += more->temporary_blocks;
    sum->unseen_frees += more->unseen_frees;
    sum->variance.total_blocks += more->variance.total_blocks;
    sum->variance.total_bytes += more->variance.total_bytes;
    sum->variance.live_blocks += more->variance.live_blocks;
    sum->variance.live_bytes += more->variance.live_bytes;
    sum->variance.temporary += more->variance.temporary;
    if (sum->peak_seen < more->peak_seen)
        sum->peak_seen = more->peak_seen;
}

static void raise_peak(struct profile_amounts *amounts)
{
    if (amounts->live_bytes > 0 &&
        amounts->peak_seen < (uint64_t)amounts->live_bytes)
        amounts->peak_seen = (uint64_t)amounts->live_bytes;
}

void amounts_add_settled(struct profile_amounts *sum,
                         const struct profile_amounts *more)
{
    amounts_add(sum, more);
    sum->live_blocks =
        (int64_t)((uint64_t)sum->live_blocks + (uint64_t)more->live_blocks);
    sum->live_bytes =
        (int64_t)((uint64_t)sum->live_bytes + (uint64_t)more->live_bytes);
    raise_peak(sum);
}

/*
 * Counters of several shards are not read at one instant, so that the free of
 * a block may be seen without its allocation.
 */
bool amounts_settle(struct profile_amounts *amounts, bool is_running)
{
    bool is_torn;

    amounts->live_blocks =
        (int64_t)(amounts->inherited_blocks + amounts->alloc_blocks -
                  amounts->free_blocks);
    amounts->live_bytes = (int64_t)(amounts->inherited_bytes +
                                    amounts->alloc_bytes - amounts->free_bytes);
    is_torn =
        is_running && (amounts->live_blocks < 0 || amounts->live_bytes < 0);
    if (is_torn && amounts->live_blocks < 0)
        amounts->live_blocks = 0;
    if (is_torn && amounts->live_bytes < 0)
        amounts->live_bytes = 0;
    raise_peak(amounts);
    return is_torn;
}
