/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.h - independent trials, computed only at successes
 *
 * Each trial succeeds with the same probability, the rate. The sampler stores
 * the number of trials to the next success, so that trials in between cost
 * nothing: a caller counts, and calls sampler_take() at the success, for any
 * number of trials at once.
 *
 * The trials are independent, and each succeeds with exactly the rate, within
 * the precision of a double: gaps are floor(1 + log(u) / log(1 - rate)), u from
 * 2^53 equal steps; only gaps above 36 / rate are lost. A run of trials after a
 * success does not depend on earlier ones, so that a large block gets its
 * binomial number in constant time. Equal seeds give equal successes.
 * Invariants:
 *
 *   S1  rate 1 gives every trial, and rate 0 none
 *   S2  the next success is at least one trial ahead
 *
 * One thread at a time. The functions do not allocate. Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* More trials than any program makes. */
#define SAMPLER_NEVER (UINT64_C(1) << 58)

struct sampler {
    double rate;   /* 0 to 1; 0 if too small to matter */
    double scale;  /* 1 / log(1 - rate) */
    uint64_t next; /* trials to the next success, included */
    uint64_t random[4];
};

/* Return a random number, by splitmix64, from any state. */
uint64_t sampler_mix(uint64_t *state);

/* Return true if a rate is valid. */
bool sampler_is_rate(double rate);

/* Seed the sampler; different streams of one seed differ. */
void sampler_seed(struct sampler *sampler, uint64_t seed, uint64_t stream);

/* Set the rate, after a seed; may be called again. */
void sampler_start(struct sampler *sampler, double rate);

/* Make `trials` trials; return the number of successes. */
uint64_t sampler_take(struct sampler *sampler, uint64_t trials);

/* Skip trials without counting successes, in constant time. */
void sampler_skip(struct sampler *sampler, uint64_t trials);

/* Return the successes of `trials` other trials of this rate. */
uint64_t sampler_binomial(struct sampler *sampler, uint64_t trials);

/* Return the trials to a success, at least 1 and at most SAMPLER_NEVER. */
uint64_t sampler_gap(struct sampler *sampler);

/* Return the logarithm of a finite x > 0, without math.h, exact to a few units
   in the last place; undefined for other x. */
double natural_log(double x);

/* Return the logarithm of 1 + x, for -1 < x <= 1; exact even if 1 + x is
   rounded. */
double natural_log_1p(double x);
