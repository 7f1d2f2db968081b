/* SPDX-License-Identifier: Apache-2.0 */
/*
 * account.h - how much each site holds: counters per site, in shards
 *
 * A book holds the counters of sites 0 to 245,759 in segments of 128 (on
 * firmware 0 to 2,047, segments of 16). In each segment every shard has one
 * page, so that two shards never share a cache line, and a segment costs memory
 * only for the shards that used it:
 *
 *     segments[id / 128] -> | shard 0 | shard 1 | ... | shard n - 1 |
 *                             4 KiB: 128 counters of 32 bytes
 *
 * alloc_* and free_* only grow; live is their difference, and only the sum over
 * all shards means anything: a free is charged to the shard that frees. Any
 * thread may add to a counter in shard 0 at any instant, so only with
 * account_add(); a thread that can prove that a shard is its own may use
 * something cheaper there (ledger/shards/shard_add.h). Invariants:
 *
 *   I1  a segment pointer, once set, never changes
 *   I2  the segment of a site that has counters is in the book
 */
#ifndef TALLY_CORE_ACCOUNT_H
#define TALLY_CORE_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_units.h"
#include "format/ledger/sites_layout.h"

#if __STDC_HOSTED__
enum {
    ACCOUNT_SEGMENT_SHIFT = 7, /* log2 of LEDGER_SITES_PER_SEGMENT */
    ACCOUNT_SEGMENT_CAPACITY = LEDGER_DIRECTORY_CAPACITY,
};

_Static_assert(1 << ACCOUNT_SEGMENT_SHIFT == LEDGER_SITES_PER_SEGMENT, "");
#else
/* No ledger lies over it, and pages are dear: 512 bytes at a time. */
enum { ACCOUNT_SEGMENT_SHIFT = 4, ACCOUNT_SEGMENT_CAPACITY = 128 };
#endif

enum {
    ACCOUNT_SITE_CAPACITY = ACCOUNT_SEGMENT_CAPACITY << ACCOUNT_SEGMENT_SHIFT,
    ACCOUNT_SHARD_SHIFT = ACCOUNT_SEGMENT_SHIFT + 5, /* of 32 bytes each */
};

_Static_assert(sizeof(struct ledger_counter) == 1 << 5, "");

struct account_book {
    struct ledger_counter *segments[ACCOUNT_SEGMENT_CAPACITY];
};

/* Counter of site `id` in shard 0, or NULL when its segment is not there. */
static inline struct ledger_counter *
account_counter(const struct account_book *book, uint32_t id)
{
    struct ledger_counter *segment = __atomic_load_n(
        &book->segments[id >> ACCOUNT_SEGMENT_SHIFT], __ATOMIC_ACQUIRE);

    if (segment == NULL)
        return NULL;
    return segment + (id & ((1 << ACCOUNT_SEGMENT_SHIFT) - 1));
}

/* The same site's counter in another shard. */
static inline struct ledger_counter *
account_in_shard(struct ledger_counter *in_shard_0, uint32_t shard)
{
    return in_shard_0 + ((size_t)shard << ACCOUNT_SEGMENT_SHIFT);
}

#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
static inline void account_add_word(uint64_t *word, uint64_t value)
{
    __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}
#else
void account_add_word(uint64_t *word, uint64_t value);
#endif

/* Add to a counter; other threads may do so at the same time. */
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

/* Sum of one site over `shard_count` shards. */
struct ledger_counter account_sum(const struct account_book *book, uint32_t id,
                                  uint32_t shard_count);

/*
 * Enter a segment whose pages are zero. Returns the segment that the book holds
 * afterwards: `segment`, or the one that another thread had entered first.
 */
struct ledger_counter *account_segment_enter(struct account_book *book,
                                             uint32_t index,
                                             struct ledger_counter *segment);

#endif /* TALLY_CORE_ACCOUNT_H */
