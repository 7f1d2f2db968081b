/* SPDX-License-Identifier: Apache-2.0 */
/* site_table.h - counters of sites, and the table of sites */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "format/invariant.h"
#include "format/ledger/segments_layout.h"
#include "tally/config.h"
#include "tally/port.h"

/*
 * Counters of a site.
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

enum { ACCOUNT_SHARD_SHIFT = 12 };

STATIC_ASSERT(LEDGER_SITES_PER_SEGMENT * sizeof(struct ledger_counter) ==
              1 << ACCOUNT_SHARD_SHIFT);

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

/*
 * Map the key of a place to the id of its account.
 *
 * This is a hash table with open addressing, read on every allocation and
 * written once for each place that allocates. Readers and writers take no lock.
 * A handler may interrupt them anywhere and call them again.
 *
 * A key is an address other than 0 and 1. Invariants:
 *
 *   I1  a slot's key is set once, from 0; after that only its dormant mark
 *       changes; its id is set once, after the key
 *   I2  a thread that finds a key without an id opens a second id for the
 *       place, and stores it if the slot still has none. Two ids for one place
 *       are harmless: readers of the ledger add them up by place
 *   I3  a table is never full (half, while there is memory to grow), so a
 *       search ends at an empty slot
 *   I4  when a table grows, searches use the old one until the new one is
 *       published; a place entered in between is entered in both, and one
 *       searched meanwhile may get a second id (I2). The old table stays
 *       mapped, and is emptied when no thread can write to it any more
 *
 * A place whose code is unloaded becomes dormant: its key is marked, so that
 * searches miss it. site_table_wake() finds the id again when the same file is
 * loaded at the same address.
 */

struct site_slot {
    uintptr_t key;
    uint32_t id;
};

/* `slots` is stored before a larger `mask`, and read after it: a reader of the
   larger mask sees the larger slots. */
struct site_table {
    struct site_slot *slots;
    uintptr_t mask;     /* number of slots - 1 */
    uintptr_t entering; /* threads that may write into old slots, and above
                           them the number of entries so far */
    uint32_t used;      /* slots in use, approximately; 0: none */
    uint32_t growing;   /* 1 while a thread grows it */
    uint32_t has_slept; /* 1 if some may be dormant */
};

/*
 * Initial number of slots, a power of 2. Tables searched by every allocation
 * are large, so that collisions are rare; the address space counts against the
 * limit of programs that lock their memory.
 */
enum {
    SITE_TABLE_LARGE = TALLY_HAS(OS) ? 8192 : 32,
    SITE_TABLE_SMALL = TALLY_HAS(OS) ? 1024 : 32,
};

/* Allocate the first slots from tally_port_pages_alloc(). Return 0 or
   TALLY_E_NO_MEMORY. */
int site_table_open(struct site_table *table, uintptr_t count);

/* Return the id of `key`, or 0 if it is not there (yet: I2). */
uint32_t site_table_search(const struct site_table *table, uintptr_t key);

/* Search the first slot only, which almost always hits; return 0 if not. */
static inline uint32_t site_table_find(const struct site_table *table,
                                       uintptr_t key)
{
    uintptr_t mask = __atomic_load_n(&table->mask, __ATOMIC_ACQUIRE);
    const struct site_slot *slot =
        &__atomic_load_n(&table->slots, __ATOMIC_ACQUIRE)[key & mask];

    if (__builtin_expect(PLAIN_LOAD(&slot->key) != key, 0))
        return 0;
    return __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
}

/*
 * Enter `key` with `id`. Return the id that searches find from now on, `id` or
 * an earlier one; 0 if there is no room: the place then has no entry and will
 * be opened again.
 */
uint32_t site_table_enter(struct site_table *table, uintptr_t key, uint32_t id);

/* Return true if a place may be opened: there is room for its entry, or another
   thread is making room, in which case the place may still get no entry. */
bool site_table_takes_more(struct site_table *table);

/* Reset state of other threads, in a forked child. */
void site_table_adopt(struct site_table *table);

/* Make all keys in [start, end) dormant. */
void site_table_sleep(struct site_table *table, uintptr_t start, uintptr_t end);

/* Wake a dormant `key` whose id `is_wanted`; return the id, or 0 if there is
   none. Several dormant places may share a key. */
uint32_t site_table_wake(struct site_table *table, uintptr_t key,
                         bool (*is_wanted)(uint32_t id, void *context),
                         void *context);
