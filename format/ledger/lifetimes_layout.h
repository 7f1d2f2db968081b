/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifetimes_layout.h - what samples tell of a site, byte by byte
 *
 * The LIFETIMES segments of a ledger that has the flag SAMPLED:
 * docs/ledger-format.md says which blocks are sampled and what one stands for.
 * These are the estimates of Horvitz and Thompson, without bias for any mix of
 * sizes. Counting n / p bytes for a block with n samples is without bias, too;
 * s / q is what that is on average for a sampled block, so that its variance is
 * never more: s^2 (1 - q) / q in place of s (1 - p) / p.
 *
 * What a block adds when it is allocated and freed is the same, rounding
 * included.
 */
#pragma once

#include <stdint.h>

/* A sum over sampled blocks. */
struct ledger_estimate {
    uint64_t samples; /* blocks that were sampled */
    uint64_t blocks;  /* that they stand for */
    uint64_t bytes;
    uint64_t reserved;
    uint64_t blocks_variance; /* the bits of an IEEE binary64, as is the next */
    uint64_t bytes_variance;
};

/* Which blocks a sum is of. */
enum ledger_life {
    LEDGER_LIFE_ALLOCATED = 0, /* all */
    LEDGER_LIFE_YOUNG = 1,     /* that were born young: up to 256 words */
    LEDGER_LIFE_PROMOTED = 2,  /* young ones that outlived the epoch of their
                                  thread: 262,144 words of allocations */
    LEDGER_LIFE_FREED = 3, /* from here on those that were freed, by lifetime */
};

/*
 * A lifetime is how many bytes were allocated meanwhile. Class 0 is none at
 * all, class n less than 256 * 4^n, the last any.
 */
enum {
    LEDGER_LIFE_CLASSES = 13,
    LEDGER_LIFE_COUNT = 16,
    LEDGER_LIFE_FIRST_LIMIT = 1024, /* of class 1 */
    LEDGER_YOUNG_LIMIT = 2048,      /* bytes of a block that is born young */
};

/* Of one site, by its id. */
struct ledger_lifetimes {
    struct ledger_estimate sums[LEDGER_LIFE_COUNT]; /* by enum ledger_life */
};

_Static_assert(sizeof(struct ledger_estimate) == 48, "layout");
_Static_assert(LEDGER_LIFE_FREED + LEDGER_LIFE_CLASSES == LEDGER_LIFE_COUNT,
               "each class has a sum");

/* Lifetimes in this class are shorter than this many bytes; 1 for class 0. */
static inline uint64_t ledger_life_limit(unsigned life_class)
{
    if (life_class == 0)
        return 1;
    return life_class == LEDGER_LIFE_CLASSES - 1
               ? UINT64_MAX
               : (uint64_t)LEDGER_LIFE_FIRST_LIMIT << 2 * (life_class - 1);
}

static inline unsigned ledger_life_class(uint64_t lifetime)
{
    unsigned life_class = 0;

    while (life_class < LEDGER_LIFE_CLASSES - 1 &&
           lifetime >= ledger_life_limit(life_class))
        life_class++;
    return life_class;
}
