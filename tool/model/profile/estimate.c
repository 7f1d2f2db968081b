/* SPDX-License-Identifier: Apache-2.0 */
/* estimate.c - see quantities.h */
#include "tool/model/profile/profile.h"

#include <math.h>

enum {
    TERMS = 100000,
    LARGE_SHAPE = 1000, /* from here on an approximation is good enough */
    EXACT_IN_FLOAT = 1 << 24,
};

static const double least = 1e-300;
static const double precision = 1e-9;

/* Return the gamma distribution function at x, by its power series. */
static double gamma_by_series(double shape, double x, double factor)
{
    double term = 1 / shape, sum = term;

    for (int i = 1; i < TERMS && term > sum * precision; i++) {
        term *= x / (shape + i);
        sum += term;
    }
    return sum * factor;
}

/* Return the part above x, by a continued fraction (Lentz). */
static double gamma_by_fraction(double shape, double x, double factor)
{
    double b = x + 1 - shape, c = 1 / least, d = 1 / b, fraction = d;

    for (int i = 1; i < TERMS; i++) {
        double a = -i * (i - shape), change;

        b += 2;
        d = a * d + b;
        c = b + a / c;
        d = 1 / (fabs(d) < least ? least : d);
        c = fabs(c) < least ? least : c;
        change = c * d;
        fraction *= change;
        if (fabs(change - 1) < precision)
            break;
    }
    return fraction * factor;
}

double distribution_gamma(double shape, enum distribution_tail tail)
{
    double low = 0, high = shape + 20 + 10 * sqrt(shape);
    double normal =
        tail == DISTRIBUTION_LOW ? -DISTRIBUTION_NORMAL : DISTRIBUTION_NORMAL;
    double root = 1 - 1 / (9 * shape) + normal / (3 * sqrt(shape));
    /* After Wilson and Hilferty; for small shapes it may be below 0. */
    double x = shape * root * root * root, log_gamma;

    if (shape > LARGE_SHAPE)
        return x;
    log_gamma = lgamma(shape);
    x = x > low && x < high ? x : shape;
    /* Newton's method, with bisection for steps that leave the bounds. */
    for (int i = 0; i < 100 && high - low > high * precision; i++) {
        double factor = exp(shape * log(x) - x - log_gamma);
        double wanted = tail == DISTRIBUTION_LOW ? 0.025 * -expm1(-x) : 0.975;
        double below = x < shape + 1 ? gamma_by_series(shape, x, factor)
                                     : 1 - gamma_by_fraction(shape, x, factor);
        double error = below - wanted;
        double slope =
            factor / x - (tail == DISTRIBUTION_LOW ? 0.025 * exp(-x) : 0);
        double next = x - error / slope;

        *(error < 0 ? &low : &high) = x;
        if (fabs(next - x) <= x * precision)
            return next;
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return (low + high) / 2;
}

static double above_zero(double value)
{
    return value > 0 ? value : 0;
}

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

/*
 * Return the weight of one missing sample. A block n times as large as the
 * interval stands for n times as many bytes and is missed with a probability of
 * exp(-n): the more such blocks a sum has, the more a missing one may add.
 */
static double weight_of(const struct profile *profile, bool is_bytes,
                        double value)
{
    double interval = (double)profile->sample_interval;

    if (profile->sample_interval <= 1)
        return 0;
    return is_bytes ? interval * (1 + 0.3 * log1p(value / interval)) : interval;
}

struct interval interval_of_measure(const struct profile *profile,
                                    const struct profile_amounts *amounts,
                                    enum measure measure)
{
    double value = (double)measure_of(amounts, measure);

    return interval_of_sampled(profile, measure, value < 0 ? 0 : value,
                               measure_error(amounts, measure));
}

/* Block counts were rounded at random, by less than one block. In a sum over
   forked processes a missing sample may be missing several times. */
struct interval interval_of_sampled(const struct profile *profile,
                                    enum measure measure, double value,
                                    struct estimate_error error)
{
    bool is_bytes = measure_is_bytes(measure);
    double weight = weight_of(profile, is_bytes, value);
    struct interval interval;

    if (value > 0)
        weight = fmax(weight, error.variance / value);
    interval = interval_of_sum(value, error.variance, weight);
    if (!is_bytes && error.variance > 0)
        interval.low = above_zero(interval.low - 1);
    if (error.seen > EXACT_IN_FLOAT)
        error.seen *= 1 - 1e-6; /* it may have been rounded up */
    interval.low = fmin(fmax(interval.low, error.seen), value);
    return interval;
}

struct interval interval_of_bytes(const struct profile *profile, double bytes)
{
    const struct estimate_error error = { bytes * weight_of(profile, false, 0),
                                          0 };

    return interval_of_sampled(profile, MEASURE_LIVE_BYTES, bytes, error);
}

struct interval interval_of_peak(const struct profile *profile)
{
    return (struct interval){
        interval_of_bytes(profile, (double)profile->peak_bytes).low,
        interval_of_bytes(profile, (double)profile->peak_most).high,
    };
}

struct interval interval_of_growth(double before, struct interval was,
                                   double after, struct interval is)
{
    return (struct interval){
        after - before - hypot(after - is.low, was.high - before),
        after - before + hypot(is.high - after, before - was.low),
    };
}

/* At most as much as was freed, or was there, is gone; the rest of the growth
   is new. */
struct interval interval_of_turnover(const struct profile *profile,
                                     enum measure measure,
                                     const struct turnover *turnover)
{
    double gone = fmin(turnover->before, turnover->freed);
    double made = turnover->after - turnover->before + gone;
    const struct estimate_error errors[] = {
        { fmin(turnover->before_variance, turnover->freed_variance), 0 },
        { fmin(turnover->after_variance, turnover->allocated_variance), 0 },
    };

    gone = above_zero(gone);
    made = above_zero(made);
    return interval_of_growth(
        gone, interval_of_sampled(profile, measure, gone, errors[0]), made,
        interval_of_sampled(profile, measure, made, errors[1]));
}

/* Sum of the samples of a part, or of the rest. */
struct sum {
    double value;
    struct interval interval;
};

/*
 * Return the lowest share for which the interval of (1 - share) * part - share
 * * rest, made of the two independent intervals (Zou and Donner), contains 0:
 * the smaller root of a quadratic equation.
 */
static double find_low(const struct sum *part, const struct sum *rest)
{
    double below = part->value - part->interval.low;
    double above = rest->interval.high - rest->value;
    double left = part->interval.low * (part->value + below);
    double whole = part->value + rest->value, low;

    if (left <= 0)
        return 0;
    low = left / (part->value * whole - below * below +
                  sqrt(below * below * rest->value * rest->value +
                       above * above * left));
    return fmin(low, part->value / whole);
}

struct share share_of_sampled(const struct profile *profile,
                              enum measure measure, double part,
                              double part_variance, double rest,
                              double rest_variance)
{
    const struct estimate_error errors[] = { { part_variance, 0 },
                                             { above_zero(rest_variance), 0 } };
    const struct sum in = { part, interval_of_sampled(profile, measure, part,
                                                      errors[0]) };
    const struct sum out = { rest, interval_of_sampled(profile, measure, rest,
                                                       errors[1]) };
    struct share share = { .interval = { 0, 1 }, .is_known = part + rest > 0 };

    if (!share.is_known)
        return share;
    share.value = part / (part + rest);
    share.interval.low = find_low(&in, &out);
    share.interval.high = 1 - find_low(&out, &in);
    return share;
}

static double difference(uint64_t whole, uint64_t part)
{
    return whole > part ? (double)(whole - part) : 0;
}

struct share share_of_blocks(const struct profile *profile,
                             const struct lifetime_sum *part,
                             const struct lifetime_sum *whole)
{
    return share_of_sampled(profile, MEASURE_TOTAL_BLOCKS, (double)part->blocks,
                            part->blocks_variance,
                            difference(whole->blocks, part->blocks),
                            whole->blocks_variance - part->blocks_variance);
}

struct share share_of_bytes(const struct profile *profile,
                            const struct lifetime_sum *part,
                            const struct lifetime_sum *whole)
{
    return share_of_sampled(profile, MEASURE_TOTAL_BYTES, (double)part->bytes,
                            part->bytes_variance,
                            difference(whole->bytes, part->bytes),
                            whole->bytes_variance - part->bytes_variance);
}
