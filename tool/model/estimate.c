/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimate.c - what samples tell, and how well: intervals of 95 %
 */
#include "tool/model/estimate.h"

#include <math.h>

#include "tool/model/distribution.h"

struct interval interval_of_sum(double value, double variance, double weight)
{
    struct interval interval = { value, value };
    double upper_variance = variance + weight * weight;
    double upper = value + weight;

    if (value > 0 && variance > 0)
        interval.low =
            variance / value *
            distribution_gamma(value * value / variance, DISTRIBUTION_LOW);
    if (upper > 0 && upper_variance > 0)
        interval.high = upper_variance / upper *
                        distribution_gamma(upper * upper / upper_variance,
                                           DISTRIBUTION_HIGH);
    return interval;
}

/* What one more sample would have added, at most; bytes: as far as it matters. */
static double weight_of(const struct profile *profile,
                        const struct profile_amounts *amounts,
                        enum measure measure)
{
    double interval = (double)profile->sample_interval;

    if (profile->sample_interval <= 1)
        return 0;
    if (measure_is_bytes(measure) || amounts->variance.largest == 0)
        return interval;
    return (double)amounts->variance.largest;
}

struct interval interval_of_measure(const struct profile *profile,
                                    const struct profile_amounts *amounts,
                                    enum measure measure)
{
    double value = (double)measure_of(amounts, measure);

    return interval_of_sum(value < 0 ? 0 : value,
                           measure_variance(amounts, measure),
                           weight_of(profile, amounts, measure));
}

struct interval interval_of_bytes(const struct profile *profile, double bytes)
{
    double interval =
        profile->sample_interval <= 1 ? 0 : (double)profile->sample_interval;

    return interval_of_sum(bytes, bytes * interval, interval);
}

/* A sum of the samples in a part, or in the rest. */
struct sum {
    double value;
    struct interval interval;
};

/*
 * Where (1 - share) * part - share * rest is above 0 as surely as an interval of
 * it says that is made of theirs, which are independent: after Zou and Donner.
 */
static double find_low(const struct sum *part, const struct sum *rest,
                       double value)
{
    double low = 0, high = value;

    for (int i = 0; i < 60; i++) {
        double share = (low + high) / 2;
        double margin = hypot((1 - share) * (part->value - part->interval.low),
                              share * (rest->interval.high - rest->value));

        if ((1 - share) * part->value - share * rest->value > margin)
            low = share;
        else
            high = share;
    }
    return low;
}

struct share share_of(double part, struct interval part_interval, double rest,
                      struct interval rest_interval)
{
    const struct sum in = { part, part_interval },
                     out = { rest, rest_interval };
    struct share share = { .interval = { 0, 1 }, .is_known = part + rest > 0 };

    if (!share.is_known)
        return share;
    share.value = part / (part + rest);
    share.interval.low = find_low(&in, &out, share.value);
    share.interval.high = 1 - find_low(&out, &in, 1 - share.value);
    return share;
}

static double above_zero(double value)
{
    return value > 0 ? value : 0;
}

static double difference(uint64_t whole, uint64_t part)
{
    return whole > part ? (double)(whole - part) : 0;
}

struct share share_of_blocks(const struct lifetime_sum *part,
                             const struct lifetime_sum *whole)
{
    double weight = whole->blocks_variance > 0 ? (double)whole->largest : 0;
    double rest = difference(whole->blocks, part->blocks);

    return share_of(
        (double)part->blocks,
        interval_of_sum((double)part->blocks, part->blocks_variance, weight),
        rest,
        interval_of_sum(
            rest, above_zero(whole->blocks_variance - part->blocks_variance),
            weight));
}

struct share share_of_bytes(const struct profile *profile,
                            const struct lifetime_sum *part,
                            const struct lifetime_sum *whole)
{
    double weight =
        profile->sample_interval <= 1 ? 0 : (double)profile->sample_interval;
    double rest = difference(whole->bytes, part->bytes);

    return share_of(
        (double)part->bytes,
        interval_of_sum((double)part->bytes, part->bytes_variance, weight),
        rest,
        interval_of_sum(
            rest, above_zero(whole->bytes_variance - part->bytes_variance),
            weight));
}
