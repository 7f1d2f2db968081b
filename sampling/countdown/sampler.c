/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.c - gaps between successes, numbers of successes, logarithms
 *
 * See sampler.h. The random numbers are xoshiro256++ of Blackman and Vigna,
 * seeded by splitmix64.
 */
#include "sampling/countdown/sampler.h"

#include <string.h>

#include "format/invariant.h"

/* Expected successes from which they are not counted one by one. */
#define MANY_SUCCESSES 16.0

/* Longest run of trials drawn at once. */
#define LONGEST_RUN (UINT64_C(1) << 52)

/*
 * Logarithms by the series of the inverse hyperbolic tangent:
 * log((1 + s) / (1 - s)) = 2 (s + s^3/3 + s^5/5 + ...). With x between the
 * square roots of 1/2 and 2, s = (x - 1) / (x + 1) is at most 0.172, and the
 * terms after s^23 are below half a unit in the last place.
 */
enum { FRACTION_BITS = 52, EXPONENT_BIAS = 1023, ODD_TERMS = 12 };

#define SQUARE_ROOT_OF_2 1.4142135623730951

/* log(2) as a sum. The first part ends in zero bits, so that e * LN2_HIGH is
   exact. */
#define LN2_HIGH 0x1.62e42fefap-1
#define LN2_LOW  0x1.cf79abc9e3b3ap-40

/* Return 2 * atanh(s) for a small s. */
static double twice_atanh(double s)
{
    double square = s * s;
    double sum = 0;

    for (int term = ODD_TERMS - 1; term > 0; term--)
        sum = (sum + 1.0 / (2 * term + 1)) * square;
    return 2 * s + 2 * s * sum;
}

double natural_log(double x)
{
    uint64_t bits;
    int exponent;

    memcpy(&bits, &x, sizeof bits);
    exponent = (int)(bits >> FRACTION_BITS) - EXPONENT_BIAS;
    if (exponent == -EXPONENT_BIAS) /* subnormal: fewer digits */
        return natural_log(x * 0x1p54) - 54 * (LN2_HIGH + LN2_LOW);
    bits = (bits & ((UINT64_C(1) << FRACTION_BITS) - 1)) |
           ((uint64_t)EXPONENT_BIAS << FRACTION_BITS);
    memcpy(&x, &bits, sizeof x);
    if (x > SQUARE_ROOT_OF_2) {
        x /= 2;
        exponent++;
    }
    return exponent * LN2_HIGH +
           (twice_atanh((x - 1) / (x + 1)) + exponent * LN2_LOW);
}

double natural_log_1p(double x)
{
    if (x > -0.25 && x < 0.25)
        return twice_atanh(x / (2 + x));
    return natural_log(1 + x);
}

uint64_t sampler_mix(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static inline uint64_t rotate(uint64_t word, int by)
{
    return word << by | word >> (64 - by);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t result = rotate(state[0] + state[3], 23) + state[0];
    uint64_t shifted = state[1] << 17;

    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotate(state[3], 45);
    return result;
}

/* Return a number above 0, at most 1. */
static inline double next_uniform(struct sampler *sampler)
{
    return (double)((next_random(sampler->random) >> 11) + 1) * 0x1p-53;
}

bool sampler_is_rate(double rate)
{
    return rate >= 0 && rate <= 1; /* false for NaN */
}

void sampler_seed(struct sampler *sampler, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;

    state = sampler_mix(&state) ^ stream * UINT64_C(0xd1342543de82ef95);
    for (int i = 0; i < 4; i++)
        sampler->random[i] = sampler_mix(&state);
}

/* Return the trials to a success of probability p; `scale` is
   1 / log(1 - p). */
static uint64_t next_gap(struct sampler *sampler, double scale)
{
    double gap = 1 + natural_log(next_uniform(sampler)) * scale;

    return gap < (double)SAMPLER_NEVER ? (uint64_t)gap : SAMPLER_NEVER;
}

uint64_t sampler_gap(struct sampler *sampler)
{
    if (sampler->rate >= 1)
        return 1;
    if (sampler->rate <= 0)
        return SAMPLER_NEVER;
    return next_gap(sampler, sampler->scale);
}

void sampler_start(struct sampler *sampler, double rate)
{
    double scale = rate < 1 ? 1 / natural_log_1p(-rate) : 0;

    /* The scale is 1 / 0, or so large that no gap would end: never sample. */
    if (rate < 1 && !(scale > -(double)SAMPLER_NEVER))
        rate = 0;
    sampler->rate = rate;
    sampler->scale = scale;
    sampler->next = sampler_gap(sampler);
}

/* Return log(k!) minus Stirling's first terms, for k >= 0. */
static double stirling_rest(double k)
{
    double x = k + 1, square = 1 / (x * x);

    if (k < 10) {
        /* The difference between the rests of log(k!) and log((k + 1)!) is
           exact. */
        double step = (x + 0.5) * natural_log_1p(1 / x) - 1;

        return step + stirling_rest(k + 1);
    }
    return (1.0 / 12 -
            square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) /
           x;
}

/* Start at half the exponent, from where Newton's method converges quickly. */
static double square_root(double x)
{
    uint64_t bits;
    double root;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> 1) + (UINT64_C(1023) << 51);
    memcpy(&root, &bits, sizeof root);
    for (int i = 0; i < 4; i++)
        root = (root + x / root) / 2;
    return root;
}

/*
 * Draw a binomial number by Hoermann's transformed rejection with squeeze
 * (BTRS, 1993), for p <= 1/2 and n p >= 10: a point under a curve that covers
 * the distribution is accepted or rejected.
 */
static uint64_t binomial_many(struct sampler *sampler, uint64_t trials,
                              double p)
{
    double n = (double)trials, q = 1 - p;
    double deviation = square_root(n * p * q);
    double b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double center = n * p + 0.5, v_r = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * deviation;
    double mode = (double)(uint64_t)((n + 1) * p);

    for (;;) {
        double v = next_uniform(sampler);
        double u = next_uniform(sampler) - 0.5;
        double us = 0.5 - __builtin_fabs(u);
        double k = (2 * a / us + b) * u + center, bound;

        if (us <= 0 || k < 0 || k >= n + 1)
            continue;
        k = (double)(uint64_t)k;
        if (us >= 0.07 && v <= v_r)
            return (uint64_t)k;
        v = natural_log(v * alpha / (a / (us * us) + b));
        bound =
            (mode + 0.5) * natural_log((mode + 1) / (p / q * (n - mode + 1))) +
            (n + 1) * natural_log((n - mode + 1) / (n - k + 1)) +
            (k + 0.5) * natural_log((n - k + 1) * (p / q) / (k + 1)) +
            stirling_rest(mode) + stirling_rest(n - mode) - stirling_rest(k) -
            stirling_rest(n - k);
        if (v <= bound)
            return (uint64_t)k;
    }
}

/* Draw a binomial number by the gaps between successes. */
static uint64_t binomial_few(struct sampler *sampler, uint64_t trials, double p)
{
    double scale = 1 / natural_log_1p(-p);
    uint64_t count = 0, gap;

    while ((gap = next_gap(sampler, scale)) <= trials) {
        trials -= gap;
        count++;
    }
    return count;
}

/* Draw a binomial number for 0 < p <= 1/2, in parts, since a double cannot
   count the largest runs. */
static uint64_t binomial(struct sampler *sampler, uint64_t trials, double p)
{
    uint64_t successes = 0;

    for (; trials > LONGEST_RUN; trials -= LONGEST_RUN)
        successes += binomial(sampler, LONGEST_RUN, p);
    return successes + ((double)trials * p < MANY_SUCCESSES
                            ? binomial_few(sampler, trials, p)
                            : binomial_many(sampler, trials, p));
}

uint64_t sampler_binomial(struct sampler *sampler, uint64_t trials)
{
    double rate = sampler->rate;

    if (rate <= 0)
        return 0;
    if (rate >= 1)
        return trials;
    return rate <= 0.5 ? binomial(sampler, trials, rate)
                       : trials - binomial(sampler, trials, 1 - rate);
}

uint64_t sampler_take(struct sampler *sampler, uint64_t trials)
{
    uint64_t count = 0;

    if (trials < sampler->next) {
        sampler->next -= trials;
        return 0;
    }
    trials -= sampler->next;
    if ((double)trials * sampler->rate >= MANY_SUCCESSES) {
        sampler->next = sampler_gap(sampler);
        return 1 + sampler_binomial(sampler, trials);
    }
    for (;;) {
        uint64_t gap = sampler_gap(sampler);

        count++;
        INVARIANT(S2, gap > 0);
        if (gap > trials) {
            sampler->next = gap - trials;
            INVARIANT(S1, sampler->rate < 1 || sampler->next == 1);
            return count;
        }
        trials -= gap;
    }
}

/* Trials after a success do not depend on the skipped ones. */
void sampler_skip(struct sampler *sampler, uint64_t trials)
{
    if (trials < sampler->next)
        sampler->next -= trials;
    else
        sampler->next = sampler_gap(sampler);
}
