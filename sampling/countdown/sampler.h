/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.h - independent trials, of which only the successes are computed
 *
 * Each trial succeeds with the same probability, the rate. What is kept is how
 * many trials it is to the next success, so that those between cost nothing:
 * a caller counts, and calls sampler_take() once it has come that far, for any
 * number of trials at once.
 *
 * The trials are independent, and each succeeds with exactly the rate, as far
 * as a double has digits: gaps are floor(1 + log(u) / log(1 - rate)), u from
 * 2^53 equal steps; what is lost is gaps of more than 36 / rate. A run of
 * trials after a success does not depend on what was before, so that a large
 * block gets its binomial number in constant time. The same seed gives the same
 * successes. Invariants:
 *
 *   S1  rate 1 gives every trial, and rate 0 none
 *   S2  the next success is at least one trial ahead
 *
 * One thread at a time. Nothing here allocates. Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* More trials than any program makes. */
#define SAMPLER_NEVER (UINT64_C(1) << 58)

struct sampler {
    double rate;   /* 0 to 1; one that is too small to matter is 0 */
    double scale;  /* 1 / log(1 - rate) */
    uint64_t next; /* trials to the next success, which is the last of them */
    uint64_t random[4];
};

/* Any number, by splitmix64; the state may begin with any. */
uint64_t sampler_mix(uint64_t *state);

/* Whether a rate is one. */
bool sampler_is_rate(double rate);

/* Give the sampler its randomness; different streams of one seed differ. */
void sampler_seed(struct sampler *sampler, uint64_t seed, uint64_t stream);

/* Begin to make trials with this rate, after seed. Again: another rate. */
void sampler_start(struct sampler *sampler, double rate);

/* Make `trials` of them; how many have succeeded. */
uint64_t sampler_take(struct sampler *sampler, uint64_t trials);

/* The same without counting successes: in constant time. */
void sampler_skip(struct sampler *sampler, uint64_t trials);

/* How many successes `trials` of the rate have, apart from those of take. */
uint64_t sampler_binomial(struct sampler *sampler, uint64_t trials);

/* Trials to a success, at least 1 and at most SAMPLER_NEVER. */
uint64_t sampler_gap(struct sampler *sampler);

/*
 * Logarithms, where there is no math.h: exact to a few units in the last place.
 * Of a finite x > 0; anything else gives a number that means nothing.
 */
double natural_log(double x);

/* Of 1 + x, for -1 < x <= 1: exact also where 1 + x is rounded. */
double natural_log_1p(double x);
