/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifetimes.h - how long the blocks of a place or a stack lived
 *
 * Of a sampled ledger alone: sums over its samples, which add up. Whether an
 * estimate is any good: estimate.h.
 */
#ifndef TALLY_TOOL_MODEL_LIFETIMES_H
#define TALLY_TOOL_MODEL_LIFETIMES_H

#include <stdint.h>

#include "format/ledger/lifetimes_layout.h"

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

/*
 * Add to what is at `*sum`, or put a copy there if it is NULL, which free() gives
 * back; `more` may be NULL. 0, or -1 without memory.
 */
int lifetimes_merge(struct lifetimes **sum, const struct lifetimes *more);

void lifetime_sum_add(struct lifetime_sum *sum,
                      const struct lifetime_sum *more);
void lifetimes_add(struct lifetimes *sum, const struct lifetimes *more);

/* What was not freed. */
struct lifetime_sum lifetimes_live(const struct lifetimes *lifetimes);

/*
 * The class that the middle one of all bytes is in; LEDGER_LIFE_CLASSES when it
 * lives.
 */
unsigned lifetimes_median(const struct lifetimes *lifetimes);

#endif /* TALLY_TOOL_MODEL_LIFETIMES_H */
