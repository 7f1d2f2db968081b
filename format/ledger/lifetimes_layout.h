/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lifetimes_layout.h - estimates of a site from its samples
 *
 * LIFETIMES segments exist in ledgers with the flag SAMPLED.
 * docs/ledger-format.md says which blocks are sampled and with what weight. The
 * estimates are those of Horvitz and Thompson, unbiased for any mix of sizes.
 * Counting n / p bytes for a block with n samples would be unbiased, too; s / q
 * is its mean for a sampled block, so that its variance is never larger: s^2 (1
 * - q) / q instead of s (1 - p) / p.
 *
 * A block adds the same amount when it is allocated and when it is freed,
 * rounding included.
 */
#pragma once

#include <stdint.h>

/* A sum over sampled blocks. */
struct ledger_estimate {
    uint64_t samples; /* sampled blocks */
    uint64_t blocks;  /* blocks they stand for */
    uint64_t bytes;
    uint64_t reserved;
    uint64_t blocks_variance; /* bits of an IEEE binary64, like the next
                                 field */
    uint64_t bytes_variance;
};

/* Blocks that a sum covers. */
enum ledger_life {
    LEDGER_LIFE_ALLOCATED = 0, /* all blocks */
    LEDGER_LIFE_YOUNG = 1,     /* born young: up to 256 words */
    LEDGER_LIFE_PROMOTED = 2,  /* young blocks that outlived the epoch of their
                                  thread: 262,144 words of allocations */
    LEDGER_LIFE_FREED = 3, /* first of the sums of freed blocks, by lifetime */
};

/* A lifetime is the number of bytes allocated between allocation and free.
   Class 0 is 0 bytes, class n below 256 * 4^n, the last one unlimited. */
enum {
    LEDGER_LIFE_CLASSES = 13,
    LEDGER_LIFE_COUNT = 16,
    LEDGER_LIFE_FIRST_LIMIT = 1024, /* of class 1 */
    LEDGER_YOUNG_LIMIT = 2048,      /* bytes of a block that is born young */
};

/* Estimates of one site, by its id. */
struct ledger_lifetimes {
    struct ledger_estimate sums[LEDGER_LIFE_COUNT]; /* by enum ledger_life */
};

_Static_assert(sizeof(struct ledger_estimate) == 48, "layout");
_Static_assert(LEDGER_LIFE_FREED + LEDGER_LIFE_CLASSES == LEDGER_LIFE_COUNT,
               "each class has a sum");

/* Return the upper limit of lifetimes in a class, exclusive; 1 for class 0. */
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
