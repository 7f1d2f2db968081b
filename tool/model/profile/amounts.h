/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts.h - how much, and for how long: blocks and bytes of a place, a stack
 * or all of them
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/lifetimes_layout.h"
#include "tool/tables/arena.h"

/* How uncertain estimates are, squared; they add up as the estimates do. All 0
   where accounts are exact. */
struct amounts_variance {
    double total_blocks;
    double total_bytes;
    double live_blocks;
    double live_bytes;
    double free_blocks;
    double temporary;
};

/*
 * Sums over ids, shards and images; they wrap at 2^64. Of a site that lacks
 * totals only the differences mean anything.
 */
struct profile_amounts {
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
    uint64_t alloc_blocks;
    uint64_t alloc_bytes;
    uint64_t free_blocks;
    uint64_t free_bytes;
    uint64_t peak_seen;   /* live bytes that were there at once, at least; of a
                             sum the largest; once finished, with the present
                             ones */
    uint64_t peak_blocks; /* when the heap held most; 0 unless has_peaks */
    uint64_t peak_bytes;
    uint64_t temporary_blocks; /* 0 unless has_temporary */
    uint64_t grown_blocks; /* by realloc, and how much; 0 unless has_grown */
    uint64_t grown_bytes;
    uint64_t resident_bytes; /* of pages that it pins; 0 unless has_residency,
                                as are the next: see struct ledger_residency */
    uint64_t resident_used;
    uint32_t untouched_pages; /* of LEDGER_PAGE bytes, as the next */
    uint32_t alone_pages;
    uint32_t alone_blocks;
    uint32_t unseen_frees; /* blocks that were found to be freed out of sight */
    struct amounts_variance variance;
    int64_t live_blocks; /* from here on set by amounts_settle() */
    int64_t live_bytes;
    int64_t older_blocks; /* so many, at least, are of what was inherited */
    int64_t older_bytes;
};

/*
 * Numbers that can be added up, in any choice and order: what is above 0 and
 * what is below are summed apart, and the sum of some of the numbers lies
 * between the two.
 */
struct sum_range {
    int64_t most;
    int64_t least;
};

/* Whether all sums fit into 64 bits with this number, too. */
static inline bool sum_range_add(struct sum_range *range, int64_t number)
{
    int64_t *bound = number < 0 ? &range->least : &range->most;

    return !__builtin_add_overflow(*bound, number, bound);
}

/* Add what a source said, not what was worked out of it. */
void amounts_add(struct profile_amounts *sum,
                 const struct profile_amounts *more);

/* Add all of amounts that were settled. */
void amounts_add_settled(struct profile_amounts *sum,
                         const struct profile_amounts *more);

/*
 * Work out live values. True if they were caught below zero, and are zero now:
 * only those of a running program can be.
 */
bool amounts_settle(struct profile_amounts *amounts, bool is_running);

/*
 * How long the blocks of a place or a stack lived. Of a sampled ledger alone:
 * sums over its samples, which add up. Whether an estimate is any good:
 * estimate.h.
 */
struct lifetime_sum {
    uint64_t samples;
    uint64_t blocks;
    uint64_t bytes;
    double blocks_variance;
    double bytes_variance;
};

struct lifetimes {
    struct lifetime_sum sums[LEDGER_LIFE_COUNT]; /* by enum ledger_life */
};

struct lifetimes lifetimes_of(const struct ledger_lifetimes *stored);

/* Add `more`, which may be NULL, to `*sum`, which is made in the arena if it is
   NULL. */
void lifetimes_merge(struct arena *arena, struct lifetimes **sum,
                     const struct lifetimes *more);

void lifetime_sum_add(struct lifetime_sum *sum,
                      const struct lifetime_sum *more);
void lifetimes_add(struct lifetimes *sum, const struct lifetimes *more);

struct lifetime_sum lifetimes_freed(const struct lifetimes *lifetimes);

/* What was not freed. */
struct lifetime_sum lifetimes_live(const struct lifetimes *lifetimes);

/*
 * The class that the middle one of all bytes is in; LEDGER_LIFE_CLASSES when it
 * lives.
 */
unsigned lifetimes_median(const struct lifetimes *lifetimes);
