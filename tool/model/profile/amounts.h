/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amounts.h - blocks and bytes of a site, a stack or a profile, and how long
 * sampled blocks lived
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/segments_layout.h"
#include "tool/tables/tables.h"

/* Variances of estimates, which add up as the estimates do; 0 if exact. */
struct amounts_variance {
    double total_blocks;
    double total_bytes;
    double live_blocks;
    double live_bytes;
    double free_blocks;
    double temporary;
};

/*
 * Sums over shards and images, modulo 2^64. If a site lacks totals, only
 * differences of its sums mean anything.
 */
struct profile_amounts {
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
    uint64_t alloc_blocks;
    uint64_t alloc_bytes;
    uint64_t free_blocks;
    uint64_t free_bytes;
    uint64_t peak_seen;   /* highest live bytes seen; a sum has the highest of
                             its parts */
    uint64_t peak_blocks; /* at the peak of the heap; 0 unless has_peaks */
    uint64_t peak_bytes;
    uint64_t temporary_blocks; /* 0 unless has_temporary */
    uint64_t grown_blocks;     /* grown by realloc; 0 unless has_grown */
    uint64_t grown_bytes;
    uint64_t resident_bytes; /* of pages that it pins: struct ledger_residency;
                                0 unless has_residency, as are the next five */
    uint64_t resident_used;
    uint32_t untouched_pages; /* LEDGER_PAGE bytes each */
    uint32_t alone_pages;
    uint32_t alone_blocks;
    uint32_t unseen_frees; /* blocks that were freed without being recorded */
    struct amounts_variance variance;
    int64_t live_blocks; /* by amounts_settle(), as are the next three */
    int64_t live_bytes;
    int64_t older_blocks; /* live and inherited, at least */
    int64_t older_bytes;
};

/*
 * Bounds of the sum of any of some numbers: positive and negative ones are
 * summed apart.
 */
struct sum_range {
    int64_t most;
    int64_t least;
};

/* Add a number; return false if some sum does not fit into 64 bits. */
static inline bool sum_range_add(struct sum_range *range, int64_t number)
{
    int64_t *bound = number < 0 ? &range->least : &range->most;

    return !__builtin_add_overflow(*bound, number, bound);
}

/* Add what a source says, without derived values. */
void amounts_add(struct profile_amounts *sum,
                 const struct profile_amounts *more);

/* Add settled amounts, with derived values. */
void amounts_add_settled(struct profile_amounts *sum,
                         const struct profile_amounts *more);

/*
 * Work out live values. Return true if they were below 0 and are 0 now, which
 * happens in a running program only.
 */
bool amounts_settle(struct profile_amounts *amounts, bool is_running);

/*
 * Lifetimes of the blocks of a site or a stack: sums over the samples of a
 * sampled ledger. estimate.h has their intervals.
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

/* Return the blocks that were not freed. */
struct lifetime_sum lifetimes_live(const struct lifetimes *lifetimes);

/* Return the class of the median byte; LEDGER_LIFE_CLASSES if it is live. */
unsigned lifetimes_median(const struct lifetimes *lifetimes);
