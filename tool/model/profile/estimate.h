/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.h - 95 % confidence intervals of sampled values
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
 * error, and the highest estimate (ledger/record/sample_accounts.h).
 */
#pragma once

#include "format/ledger/segments_layout.h"
#include "tool/model/profile/amounts.h"
#include "tool/model/profile/measure.h"

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
                                    double variance);

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
 * x that is not 0 reaches `shape` with a probability of 2.5 %; 0 for a shape up
 * to 1.
 */
double distribution_gamma(double shape, enum distribution_tail tail);
