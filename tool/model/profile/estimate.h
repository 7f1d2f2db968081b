/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.h - what samples tell, and how well: intervals of 95 %
 *
 * What a sampled ledger holds is a sum over sampled blocks, each with the
 * weight that makes the sum right on average, and the sum's variance
 * (format/ledger/lifetimes_layout.h). Where there are few samples, a sum is not
 * spread as a normal distribution is: with none at all the truth may be a few
 * weights, and never below 0. So the intervals are those for sums of weighted
 * events of Fay and Feuer (Statistics in Medicine 16, 1997), which are the
 * exact ones of Poisson where all weights are equal, and err by being too wide.
 * Shares and growth have what follows from those of both parts (Zou and Donner,
 * Statistics in Medicine 27, 2008).
 *
 * An upper bound allows for what no sample met: one that is missing may be of a
 * block of one byte, which stands for as many blocks as samples are bytes
 * apart, however large those were that were seen. A row is there because it was
 * sampled: lower bounds are those of sums that are not looked at where there
 * are no samples. The peak is between what lived at an instant that its own
 * errors did not choose and what samples ever showed
 * (ledger/blocks/sample_accounts.h).
 */
#pragma once

#include "format/ledger/lifetimes_layout.h"
#include "tool/model/profile/amounts.h"
#include "tool/model/profile/measure.h"

struct interval {
    double low;
    double high;
};

/*
 * Around a sum, given its variance and what one more sample adds at most.
 * Where the latter is 0 nothing can have been missed.
 */
struct interval interval_of_sum(double value, double variance, double weight);

/* Of a sum of bytes or blocks of a sampled profile. */
struct interval interval_of_sampled(const struct profile *profile,
                                    enum measure measure, double value,
                                    double variance);

/* Of an amount of a sampled profile. */
struct interval interval_of_measure(const struct profile *profile,
                                    const struct profile_amounts *amounts,
                                    enum measure measure);

/* Of bytes whose variance is not known: as if all blocks were small. */
struct interval interval_of_bytes(const struct profile *profile, double bytes);

/* Of the most that lived. */
struct interval interval_of_peak(const struct profile *profile);

/* Of what one sum is more than another, given both and theirs. */
struct interval interval_of_growth(double before, struct interval was,
                                   double after, struct interval is);

/* A part of what is in `whole`, as a share from 0 to 1 of its blocks or
   bytes. */
struct share {
    double value;
    struct interval interval; /* 0 to 1 when there are no samples */
    bool is_known;            /* false: there are none */
};

/* Of two sums that make the whole, with their variances. */
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
 * Quantiles of the gamma distribution, which exact intervals of 95 % for counts
 * are made of. Relative errors are below 1e-5. Formulas: Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 6.5.29, 6.5.31 and 26.4.17.
 */
enum distribution_tail { DISTRIBUTION_LOW, DISTRIBUTION_HIGH };

/* How far the normal distribution's 2.5 % are from its middle. */
#define DISTRIBUTION_NORMAL 1.959963984540054

/*
 * The x below which 97.5 % (HIGH) of the gamma distribution of that shape,
 * above 0, and scale 1 lie; or, LOW, 2.5 % of what lies below x of the
 * distribution of shape 1. So many counts of mean x, or more, are that rare
 * among those that are not 0, which are all that is looked at. 0 for a shape up
 * to 1.
 */
double distribution_gamma(double shape, enum distribution_tail tail);
