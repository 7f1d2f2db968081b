/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_sequence.h - random numbers, equal on every run and machine
 *
 * For tests that compare with a model: failures are reproducible.
 */
#pragma once

#include <stdint.h>

struct random_sequence {
    uint64_t state; /* any seed will do */
};

/* Return the next number of SplitMix64. */
static inline uint64_t random_next(struct random_sequence *sequence)
{
    uint64_t mixed = sequence->state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Return the next number below `limit`, which is not 0. */
static inline uint32_t random_below(struct random_sequence *sequence,
                                    uint32_t limit)
{
    return (uint32_t)(random_next(sequence) >> 32) % limit;
}
