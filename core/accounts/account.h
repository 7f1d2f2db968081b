/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - counters of a site
 *
 * In a ledger, counters lie in segments of 128 sites with one page per shard.
 * So two shards never share a cache line, and a segment uses memory only for
 * shards in use:
 *
 *     segment of id / 128 -> | shard 0 | shard 1 | ... | shard n - 1 |
 *                              4 KiB: 128 counters of 32 bytes
 *
 * alloc_* and free_* only grow; live is their difference. Only sums over all
 * shards have a meaning, since a free is charged to the shard of the freeing
 * thread. Any thread may add to counters in shard 0 at any time, so use
 * account_add() there. A thread that owns its shard may use a cheaper add
 * (ledger/shards/shard_add.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_units.h"
#include "format/ledger/sites_layout.h"
#include "tally/port.h"

enum { ACCOUNT_SHARD_SHIFT = 12 };

_Static_assert(LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_counter) ==
                   1 << ACCOUNT_SHARD_SHIFT,
               "");

/* Return the counter of the same site in another shard. */
static inline struct ledger_counter *
account_in_shard(struct ledger_counter *in_shard_0, uint32_t shard)
{
    return in_shard_0 + (size_t)shard * LEDGER_SITES_PER_SEGMENT;
}

/* Add to a word. Machines without a lock-free 64-bit add (Cortex-M) use the
   port's lock, which masks interrupts for a few instructions. */
static inline void account_add_word(uint64_t *word, uint64_t value)
{
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
    __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#else
    uint32_t key = tally_port_lock();

    *word += value;
    tally_port_unlock(key);
#endif
}

static inline uint64_t account_read_word(const uint64_t *word)
{
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#else
    uint32_t key = tally_port_lock();
    uint64_t value = *word;

    tally_port_unlock(key);
    return value;
#endif
}

/* Add to a counter; other threads may add at the same time. */
static inline void account_add(struct ledger_counter *counter,
                               const struct ledger_counter *added)
{
    if (added->alloc_blocks != 0)
        account_add_word(&counter->alloc_blocks, added->alloc_blocks);
    if (added->alloc_bytes != 0)
        account_add_word(&counter->alloc_bytes, added->alloc_bytes);
    if (added->free_blocks != 0)
        account_add_word(&counter->free_blocks, added->free_blocks);
    if (added->free_bytes != 0)
        account_add_word(&counter->free_bytes, added->free_bytes);
}
