/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quantities.h - amounts of memory, measures of them, and intervals of
 * estimates
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/segments_layout.h"
#include "tool/tables/tables.h"
#include "tool/text/text.h"

/*
 * Blocks and bytes of a site, a stack or a profile, and how long sampled
 * blocks lived
 */

/* Error of an estimate: its variance, 0 if it is exact, and the part of it that
   samples met, below which the true value cannot be; 0 unknown. Errors of
   different samples add up as the estimates do. */
struct estimate_error {
    double variance;
    double seen;
};

/* An error as amounts keep it: there are hundreds of thousands of them. */
struct kept_error {
    float variance;
    float seen;
};

static inline struct kept_error kept_error_of(struct estimate_error error)
{
    return (struct kept_error){ (float)error.variance, (float)error.seen };
}

static inline struct estimate_error kept_error_read(struct kept_error kept)
{
    return (struct estimate_error){ (double)kept.variance, (double)kept.seen };
}

static inline void kept_error_add(struct kept_error *sum,
                                  struct kept_error more)
{
    sum->variance += more.variance;
    sum->seen += more.seen;
}

/*
 * Error of blocks that forked processes inherited: each has the parent's
 * samples, so that in a sum over processes their deviations add up, not their
 * variances.
 */
struct inherited_error {
    float variance;  /* sum over processes */
    float deviation; /* sum over processes; 0 once settled */
    float shared;    /* variance of blocks in the sum, not inherited, that
                        others may have inherited; once settled, what shared
                        samples add to the variance of the sum */
};

struct amounts_error {
    struct kept_error total_blocks;
    struct kept_error total_bytes;
    struct kept_error live_blocks; /* without inherited ones until settled, as
                                      is the next one */
    struct kept_error live_bytes;
    float free_blocks; /* variances alone */
    float temporary;
    struct inherited_error inherited_blocks; /* live ones */
    struct inherited_error inherited_bytes;
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
    uint64_t peak_seen;   /* highest live bytes seen, with the final ones once
                             settled; a sum has the highest of its parts */
    uint64_t peak_blocks; /* at the peak of its kind; 0 unless has_peaks or
                             has_map_peaks */
    uint64_t peak_bytes;
    uint64_t most_resident;    /* of maps, when most of them were resident; 0
                               unless has_map_reading */
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
    struct amounts_error error;
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

/* Add what a source says of another process, without derived values. */
void amounts_add(struct profile_amounts *sum,
                 const struct profile_amounts *more);

/* Add the errors of another process or, once settled, of other samples. */
void amounts_error_add(struct amounts_error *sum,
                       const struct amounts_error *more);

/* Return the error of live blocks that one process inherited. */
struct inherited_error inherited_error(double variance);

/* Join the errors of inherited blocks to the others: the sum is complete. */
void amounts_settle_error(struct amounts_error *error);

/* Add settled amounts, with derived values. */
void amounts_add_settled(struct profile_amounts *sum,
                         const struct profile_amounts *more);

/*
 * Work out live values. Return true if they were below 0 and are 0 now, which
 * happens in a running program only.
 */
bool amounts_settle(struct profile_amounts *amounts, bool is_running);

/* Return live blocks that were not inherited, at least. */
uint64_t amounts_leaked_blocks(const struct profile_amounts *amounts);
int64_t amounts_leaked_bytes(const struct profile_amounts *amounts);

/*
 * Lifetimes of the blocks of a site or a stack: sums over the samples of a
 * sampled ledger.
 */
struct lifetime_sum {
    uint64_t samples;
    uint64_t blocks;
    uint64_t bytes;
    uint64_t seen; /* bytes of the sampled blocks; 0 unknown */
    double blocks_variance;
    double bytes_variance;
};

struct lifetimes {
    struct lifetime_sum sums[LEDGER_LIFE_COUNT]; /* by enum ledger_life */
    double inherited_blocks_variance; /* of live blocks, in one process */
    double inherited_bytes_variance;
};

struct lifetimes lifetimes_of(const struct ledger_lifetimes *stored);

/* Add `more`, which may be NULL, to `*sum`, which is made in the arena if it is
   NULL. */
void lifetimes_merge(struct arena *arena, struct lifetimes **sum,
                     const struct lifetimes *more);

/* Return the errors of sums over the samples of one process. */
struct amounts_error amounts_error_of(const struct lifetime_sum *all,
                                      const struct lifetime_sum *live,
                                      const struct lifetime_sum *freed);

void lifetime_sum_add(struct lifetime_sum *sum,
                      const struct lifetime_sum *more);
void lifetimes_add(struct lifetimes *sum, const struct lifetimes *more);

struct lifetime_sum lifetimes_freed(const struct lifetimes *lifetimes);

/* Return the blocks that were not freed. */
struct lifetime_sum lifetimes_live(const struct lifetimes *lifetimes);

/* Return the class of the median byte; LEDGER_LIFE_CLASSES if it is live. */
unsigned lifetimes_median(const struct lifetimes *lifetimes);

/* Measures of a site or a stack, by name */

enum measure {
    MEASURE_LIVE_BYTES,
    MEASURE_LIVE_BLOCKS,
    MEASURE_PEAK_BYTES, /* at the heap's peak */
    MEASURE_PEAK_BLOCKS,
    MEASURE_TOTAL_BYTES, /* allocated */
    MEASURE_TOTAL_BLOCKS,
    MEASURE_TEMPORARY, /* blocks freed by the next allocation of their thread */
    MEASURE_GROWN,     /* blocks grown by realloc */
    MEASURE_RESIDENT,  /* bytes of pages pinned by its blocks */
    MEASURE_COUNT,
};

/* Return "live-bytes" and so on. */
const char *measure_name(enum measure measure);

/* Names of measures, then "leaked-bytes" and "leaked-blocks", which are live at
   exit. The index of a word modulo MEASURE_COUNT is its measure. */
extern const struct word_list measure_words;

bool measure_is_bytes(enum measure measure);

/* Return "bytes" or "blocks". */
const char *measure_unit(enum measure measure);

struct profile;

/* Return true if a finished profile has this measure. */
bool measure_is_known(const struct profile *profile, enum measure measure);

int64_t measure_of(const struct profile_amounts *amounts, enum measure measure);

/* Return its error; 0 if it is exact or unknown, and for MEASURE_COUNT. */
struct estimate_error measure_error(const struct profile_amounts *amounts,
                                    enum measure measure);

static inline void estimate_error_add(struct estimate_error *sum,
                                      struct estimate_error more)
{
    sum->variance += more.variance;
    sum->seen += more.seen;
}

/*
 * 95 % confidence intervals of sampled values
 *
 * A sampled ledger holds sums over sampled blocks, each with the weight that
 * makes the sum right on average, and the sum's variance
 * (format/ledger/segments_layout.h). Sums of few samples are not normally
 * distributed: with no sample the true value may be a few weights, and is never
 * below 0. So intervals are those of Fay and Feuer for sums of weighted events
 * (Statistics in Medicine 16, 1997). With equal weights they are the exact
 * Poisson intervals, and otherwise too wide rather than too narrow. Intervals
 * of shares and growth follow from those of both parts (Zou and Donner,
 * Statistics in Medicine 27, 2008).
 *
 * Upper bounds allow for blocks that no sample met: a missing sample may be of
 * a block of one byte, which stands for as many blocks as samples are bytes
 * apart, however large the sampled ones are. Rows exist because they were
 * sampled: lower bounds are conditional on at least one sample. The peak lies
 * between the live bytes at an instant that was chosen independently of its
 * error, and the highest estimate (ledger/blocks/sample_accounts.h).
 */

struct interval {
    double low;
    double high;
};

/*
 * Return the interval of a sum, given its variance and the most that one more
 * sample adds; weight 0: no sample can be missing.
 */
struct interval interval_of_sum(double value, double variance, double weight);

/* Return the interval of a sum of bytes or blocks of a sampled profile. */
struct interval interval_of_sampled(const struct profile *profile,
                                    enum measure measure, double value,
                                    struct estimate_error error);

/* Return the interval of one measure of amounts. */
struct interval interval_of_measure(const struct profile *profile,
                                    const struct profile_amounts *amounts,
                                    enum measure measure);

/* Return the interval of bytes of unknown variance, as of small blocks. */
struct interval interval_of_bytes(const struct profile *profile, double bytes);

/* Return the interval of the heap's peak. */
struct interval interval_of_peak(const struct profile *profile);

/* Return the interval of after - before, given the intervals of both. */
struct interval interval_of_growth(double before, struct interval was,
                                   double after, struct interval is);

/* Two readings of live blocks or bytes of processes, and what they allocated,
   or inherited, and freed between them. */
struct turnover {
    double before, after, allocated, freed;
    double before_variance, after_variance;
    double allocated_variance, freed_variance;
};

/* Return the interval of after - before. Samples of blocks live at both
   readings cancel; so do those of blocks that came and went between them. */
struct interval interval_of_turnover(const struct profile *profile,
                                     enum measure measure,
                                     const struct turnover *turnover);

/* Part of a whole, from 0 to 1. */
struct share {
    double value;
    struct interval interval; /* 0 to 1 without samples */
    bool is_known;            /* false: no samples */
};

/* Return the share of `part` in part + rest, given both variances. */
struct share share_of_sampled(const struct profile *profile,
                              enum measure measure, double part,
                              double part_variance, double rest,
                              double rest_variance);

struct share share_of_blocks(const struct profile *profile,
                             const struct lifetime_sum *part,
                             const struct lifetime_sum *whole);
struct share share_of_bytes(const struct profile *profile,
                            const struct lifetime_sum *part,
                            const struct lifetime_sum *whole);

/*
 * Quantiles of the gamma distribution, the bounds of exact Poisson intervals.
 * Relative errors are below 1e-5. Formulas: Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 6.5.29, 6.5.31 and 26.4.17.
 */
enum distribution_tail { DISTRIBUTION_LOW, DISTRIBUTION_HIGH };

/* 97.5 % quantile of the normal distribution */
#define DISTRIBUTION_NORMAL 1.959963984540054

/*
 * Return the x below which 97.5 % of the gamma distribution of this shape,
 * above 0, and scale 1 lie (HIGH). LOW: the x at which a Poisson count of mean
 * x that is not 0 reaches `shape` with a probability of 2.5 %; 0 for a shape
 * up to 1.
 */
double distribution_gamma(double shape, enum distribution_tail tail);
