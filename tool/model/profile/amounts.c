/* SPDX-License-Identifier: Apache-2.0 */
/* amounts.c - see quantities.h */
#include "tool/model/profile/quantities.h"

#include <math.h>

static struct kept_error keep(double variance, double seen)
{
    return (struct kept_error){ (float)variance, (float)seen };
}

struct inherited_error inherited_error(double variance)
{
    return (struct inherited_error){ (float)variance, (float)sqrt(variance),
                                     0 };
}

/* Each side may have inherited what the other one allocated. */
static void add_inherited(struct inherited_error *sum, float own,
                          const struct inherited_error *more, float more_own)
{
    float shared = sum->shared + more->shared;

    if (more->deviation > 0)
        shared += own - sum->shared;
    if (sum->deviation > 0)
        shared += more_own - more->shared;
    sum->variance += more->variance;
    sum->deviation += more->deviation;
    sum->shared = shared;
}

void amounts_error_add(struct amounts_error *sum,
                       const struct amounts_error *more)
{
    add_inherited(&sum->inherited_blocks, sum->live_blocks.variance,
                  &more->inherited_blocks, more->live_blocks.variance);
    add_inherited(&sum->inherited_bytes, sum->live_bytes.variance,
                  &more->inherited_bytes, more->live_bytes.variance);
    kept_error_add(&sum->total_blocks, more->total_blocks);
    kept_error_add(&sum->total_bytes, more->total_bytes);
    kept_error_add(&sum->live_blocks, more->live_blocks);
    kept_error_add(&sum->live_bytes, more->live_bytes);
    sum->free_blocks += more->free_blocks;
    sum->temporary += more->temporary;
}

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
    sum->most_resident += more->most_resident;
    sum->temporary_blocks += more->temporary_blocks;
    sum->grown_blocks += more->grown_blocks;
    sum->grown_bytes += more->grown_bytes;
    sum->unseen_frees += more->unseen_frees;
    sum->resident_bytes += more->resident_bytes;
    sum->resident_used += more->resident_used;
    sum->untouched_pages += more->untouched_pages;
    sum->alone_pages += more->alone_pages;
    sum->alone_blocks += more->alone_blocks;
    amounts_error_add(&sum->error, &more->error);
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
    sum->older_blocks =
        (int64_t)((uint64_t)sum->older_blocks + (uint64_t)more->older_blocks);
    sum->older_bytes =
        (int64_t)((uint64_t)sum->older_bytes + (uint64_t)more->older_bytes);
    raise_peak(sum);
}

static int64_t not_negative(uint64_t difference)
{
    return (int64_t)difference < 0 ? 0 : (int64_t)difference;
}

/* Differences of two damaged ledgers may be negative or no number. */
static double not_below_zero(double value)
{
    return value >= 0 ? value : 0;
}

/*
 * Join the error of inherited blocks to that of all others. Those inherited
 * share samples with one another and with at most as much of the others as was
 * inherited: their deviations add up, which is the most that dependent errors
 * can come to (Minkowski).
 */
static void settle_error(struct kept_error *error,
                         struct inherited_error *inherited)
{
    double own = not_below_zero(error->variance);
    double old = not_below_zero(inherited->variance);
    double shared = fmin(fmin(not_below_zero(inherited->shared), own), old);
    double together = sqrt(shared) + not_below_zero(inherited->deviation);

    *error = keep(own, not_below_zero(error->seen));
    if (inherited->deviation <= 0)
        return;
    own += together * together - shared;
    inherited->shared = (float)(own - error->variance - old);
    inherited->deviation = 0;
    error->variance = (float)own;
}

void amounts_settle_error(struct amounts_error *error)
{
    struct inherited_error none = { 0 };

    settle_error(&error->total_blocks, &none);
    settle_error(&error->total_bytes, &none);
    settle_error(&error->live_blocks, &error->inherited_blocks);
    settle_error(&error->live_bytes, &error->inherited_bytes);
    error->free_blocks = (float)not_below_zero(error->free_blocks);
    error->temporary = (float)not_below_zero(error->temporary);
}

/*
 * Shards are not read at one instant, so that a free may be counted without
 * its allocation.
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
    amounts->older_blocks =
        not_negative(amounts->inherited_blocks - amounts->free_blocks);
    amounts->older_bytes =
        not_negative(amounts->inherited_bytes - amounts->free_bytes);
    raise_peak(amounts);
    return is_torn;
}

uint64_t amounts_leaked_blocks(const struct profile_amounts *amounts)
{
    return (uint64_t)not_negative((uint64_t)amounts->live_blocks -
                                  amounts->inherited_blocks);
}

int64_t amounts_leaked_bytes(const struct profile_amounts *amounts)
{
    return not_negative((uint64_t)amounts->live_bytes -
                        amounts->inherited_bytes);
}

static double variance_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

struct lifetimes lifetimes_of(const struct ledger_lifetimes *stored)
{
    struct lifetimes lifetimes;

    for (unsigned i = 0; i < LEDGER_LIFE_COUNT; i++) {
        const struct ledger_estimate *sum = &stored->sums[i];

        lifetimes.sums[i] = (struct lifetime_sum){
            .samples = sum->samples,
            .blocks = sum->blocks,
            .bytes = sum->bytes,
            .seen = sum->seen,
            .blocks_variance = variance_of(sum->blocks_variance),
            .bytes_variance = variance_of(sum->bytes_variance),
        };
    }
    lifetimes.inherited_blocks_variance =
        variance_of(stored->sums[LEDGER_LIFE_INHERITED_BLOCKS].seen);
    lifetimes.inherited_bytes_variance =
        variance_of(stored->sums[LEDGER_LIFE_INHERITED_BYTES].seen);
    return lifetimes;
}

struct amounts_error amounts_error_of(const struct lifetime_sum *all,
                                      const struct lifetime_sum *live,
                                      const struct lifetime_sum *freed)
{
    return (struct amounts_error){
        .total_blocks = keep(all->blocks_variance, (double)all->samples),
        .total_bytes = keep(all->bytes_variance, (double)all->seen),
        .live_blocks = keep(live->blocks_variance, (double)live->samples),
        .live_bytes = keep(live->bytes_variance, (double)live->seen),
        .free_blocks = (float)freed->blocks_variance,
    };
}

void lifetime_sum_add(struct lifetime_sum *sum, const struct lifetime_sum *more)
{
    sum->samples += more->samples;
    sum->blocks += more->blocks;
    sum->bytes += more->bytes;
    sum->seen += more->seen;
    sum->blocks_variance += more->blocks_variance;
    sum->bytes_variance += more->bytes_variance;
}

void lifetimes_add(struct lifetimes *sum, const struct lifetimes *more)
{
    for (unsigned i = 0; i < LEDGER_LIFE_COUNT; i++)
        lifetime_sum_add(&sum->sums[i], &more->sums[i]);
}

void lifetimes_merge(struct arena *arena, struct lifetimes **sum,
                     const struct lifetimes *more)
{
    if (more == NULL)
        return;
    if (*sum == NULL)
        *sum = arena_zeroed(arena, 1, sizeof **sum);
    lifetimes_add(*sum, more);
}

struct lifetime_sum lifetimes_freed(const struct lifetimes *lifetimes)
{
    struct lifetime_sum freed = { 0 };

    for (unsigned i = LEDGER_LIFE_FREED; i < LEDGER_LIFE_COUNT; i++)
        lifetime_sum_add(&freed, &lifetimes->sums[i]);
    return freed;
}

static uint64_t without(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/*
 * No sample leaves no variance, although sums of fractions were rounded. Parts
 * that were read while the program ran may be older than others.
 */
struct lifetime_sum lifetimes_live(const struct lifetimes *lifetimes)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum freed = lifetimes_freed(lifetimes);
    struct lifetime_sum live = {
        .samples = without(all->samples, freed.samples),
        .blocks = without(all->blocks, freed.blocks),
        .bytes = without(all->bytes, freed.bytes),
        .seen = without(all->seen, freed.seen),
    };

    if (live.samples != 0 && all->blocks_variance > freed.blocks_variance)
        live.blocks_variance = all->blocks_variance - freed.blocks_variance;
    if (live.samples != 0 && all->bytes_variance > freed.bytes_variance)
        live.bytes_variance = all->bytes_variance - freed.bytes_variance;
    return live;
}

unsigned lifetimes_median(const struct lifetimes *lifetimes)
{
    uint64_t half = lifetimes->sums[LEDGER_LIFE_ALLOCATED].bytes / 2;
    uint64_t sum = 0;
    unsigned life_class = 0;

    while (life_class < LEDGER_LIFE_CLASSES) {
        sum += lifetimes->sums[LEDGER_LIFE_FREED + life_class].bytes;
        if (sum > half)
            break;
        life_class++;
    }
    return life_class;
}
