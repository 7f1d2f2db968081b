/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked_blocks.h - sampled blocks that are followed
 *
 * The blocks are in tables by key (block_table.h), each with a lock held for a
 * few instructions; a signal handler that interrupts it does not enter
 * (countdown.h, C4).
 *
 *   T1  only one take() or claim gets an entry: its thread runs the callbacks,
 *       with no lock held
 *   T2  take() marks a claimed entry as dead and leaves it to the claiming
 *       thread; so does a promotion whose alloc callback is still due. A lift
 *       gets the entry anyway; drop() or insert() reports later if it is dead
 *   T3  the memory of an entry is only used for entries, and `serial` changes
 *       with each reuse: an entry and its serial identify it for good
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/countdown/block_table.h"

struct memprof;

enum tracked_claim {
    TRACKED_FREE,
    TRACKED_CLAIMED, /* a callback runs that is not the last one */
    TRACKED_WAITS,   /* the alloc callback is still due */
    TRACKED_RIPE,    /* ... and its epoch has ended meanwhile */
};

/* Event of a claimed entry. */
enum tracked_loss {
    TRACKED_LIVES,
    TRACKED_DEAD,   /* its block was freed */
    TRACKED_LIFTED, /* it was lifted, and may be put back */
    TRACKED_OVER,   /* ... and its claim has ended meanwhile, for good */
};

/* Result of ending a claim. */
enum tracked_end {
    TRACKED_STAYS,
    TRACKED_IS_CALLERS,  /* freed meanwhile, or not kept: the caller owns it */
    TRACKED_IS_PROMOTED, /* not yet: it must be promoted first */
};

struct tracked {
    struct block_entry block;
    void *metadata;
    struct memprof *profile;
    uint32_t serial;
    uint8_t is_major;
    uint8_t is_claimed; /* enum tracked_claim */
    uint8_t is_dead;    /* enum tracked_loss */
    uint8_t is_inside;  /* in the table */
};

/* Reference to an entry: T3. */
struct tracked_name {
    struct tracked *entry;
    uint32_t serial;
};

/* Create an entry for `key`, not in the table yet; NULL: no memory. */
struct tracked *tracked_make(uint64_t key);

/*
 * Insert an entry, possibly after a lift. Return an earlier entry with this
 * key, whose block was freed unseen; the entry itself, if there is no room or
 * it is over; or NULL.
 */
struct tracked *tracked_insert(struct tracked *entry);

/* Remove an entry. NULL: there is none, or, with TRACKED_DEAD, it is claimed.
   An entry that is TRACKED_LIFTED may be put back, claimed or not. */
struct tracked *tracked_take(uint64_t key, enum tracked_loss loss);

/* Return true if the lifted entry was claimed. */
static inline bool tracked_was_claimed(const struct tracked *lifted)
{
    return __atomic_load_n(&lifted->is_dead, __ATOMIC_RELAXED) != TRACKED_LIVES;
}

/* Drop a lifted entry. Return false if the claiming thread owns it. */
bool tracked_drop(struct tracked *lifted);

/* Return true if the entry still exists and is minor. */
bool tracked_is_minor(struct tracked_name name);

/* Remove all entries in [start, end) at multiples of `unit`; return them as a
   list. Searches the whole table. */
struct tracked *tracked_take_all(uint64_t start, uint64_t end, uint64_t unit);

/* Claim a minor entry for a promotion; mark one that waits as ripe instead. */
bool tracked_claim(struct tracked_name name);

/* End a claim; with `is_kept` the entry stays. */
enum tracked_end tracked_unclaim(struct tracked *entry, bool is_kept,
                                 bool is_major);

/* Free an entry that was made or taken. */
void tracked_release(struct tracked *entry);

/* Remove and free all entries of a profile except claimed ones; return the
   number of freed entries. */
uint32_t tracked_release_all(const struct memprof *profile);

/* Return the number of entries, claimed ones included, without those that have
   no profile and only refer to others. */
uint64_t tracked_count(void);

/* Return true if there are no entries. A thread that inserts one later sees all
   stores made before this call. */
bool tracked_is_empty(void);

/* Remove all entries, in a forked child. */
void tracked_forget(void);
