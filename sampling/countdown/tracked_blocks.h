/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked_blocks.h - the blocks that were sampled and are followed
 *
 * Tables by key (block_table.h), each with a lock for a few instructions; a
 * signal handler that interrupts them stays out (countdown.h, C4).
 *
 *   T1  only one take() or claim gets an entry: the thread that has it runs its
 *       callbacks, with no lock held
 *   T2  take() marks a claimed entry dead, and leaves it to the claiming
 *       thread; a promotion, too, leaves it to that thread, if its alloc
 *       callback is still to come. lift() gets the entry all the same; drop()
 *       or insert() says later whether it is dead
 *   T3  the memory of an entry is only used for entries, and `serial` changes
 *       when it becomes another one: an entry and its serial, remembered, tell
 *       whether it is still there
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sampling/countdown/block_table.h"

struct memprof;

enum tracked_claim {
    TRACKED_FREE,
    TRACKED_CLAIMED, /* a callback runs that is not its last one */
    TRACKED_WAITS,   /* alloc is still to come */
    TRACKED_RIPE,    /* ... and its epoch has ended meanwhile */
};

/* What has happened to a claimed entry. */
enum tracked_loss {
    TRACKED_LIVES,
    TRACKED_DEAD,   /* it was given back */
    TRACKED_LIFTED, /* it was lifted, and may come back */
    TRACKED_OVER,   /* ... and its claim has ended meanwhile, for good */
};

/* How a claim has ended. */
enum tracked_end {
    TRACKED_STAYS,
    TRACKED_IS_CALLERS,  /* it was given back meanwhile, or is not kept */
    TRACKED_IS_PROMOTED, /* not yet: it is to be promoted first */
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

/* An entry to remember: T3. */
struct tracked_name {
    struct tracked *entry;
    uint32_t serial;
};

/* A new entry for `key`, not in the table yet; NULL: no memory. */
struct tracked *tracked_make(uint64_t key);

/*
 * Put it into the table, again if it was lifted. Returns an earlier entry with
 * this key, whose block was given back unseen; or the entry itself, if there is
 * no room for it or it is over; or NULL.
 */
struct tracked *tracked_insert(struct tracked *entry);

/*
 * Take it out. NULL: there is none, or, with TRACKED_DEAD, it is claimed; what
 * is TRACKED_LIFTED may be put back, claimed or not.
 */
struct tracked *tracked_take(uint64_t key, enum tracked_loss loss);

/* Whether the lifted entry was claimed. */
static inline bool tracked_was_claimed(const struct tracked *lifted)
{
    return __atomic_load_n(&lifted->is_dead, __ATOMIC_RELAXED) != TRACKED_LIVES;
}

/* It is not put back. False: it is left to the thread that has claimed it. */
bool tracked_drop(struct tracked *lifted);

/* Whether it is there still, and minor. */
bool tracked_is_minor(struct tracked_name name);

/*
 * Take out all from `start` on and before `end`, at multiples of `unit`: a
 * list. Goes through the whole table.
 */
struct tracked *tracked_take_all(uint64_t start, uint64_t end, uint64_t unit);

/* Claim one that is minor, for a promotion; what waits is ripe instead. */
bool tracked_claim(struct tracked_name name);

/* End a claim; `is_kept`: it stays. */
enum tracked_end tracked_unclaim(struct tracked *entry, bool is_kept,
                                 bool is_major);

/* An entry that was made or taken is of no more use. */
void tracked_release(struct tracked *entry);

/* Take out and release all of a profile; those that are claimed stay. Returns
   how many it released. */
uint32_t tracked_release_all(const struct memprof *profile);

/*
 * How many there are, claimed ones included, but for those without a profile,
 * which only lead to others.
 */
uint64_t tracked_count(void);

/*
 * Whether there are none. A thread that inserts one later sees, after that,
 * what the caller stored before this call.
 */
bool tracked_is_empty(void);

/* In the child of a fork: there are none. */
void tracked_forget(void);
