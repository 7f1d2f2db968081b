/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_filter.h - whether a block may be one that somebody keeps in mind
 *
 * Blocks that were sampled are few, and every free asks. A counter of a byte for
 * each value of a hash says "no" for nearly all others by one load. A counter that
 * has come to its end stays there.
 */
#ifndef TALLY_CORE_BLOCK_FILTER_H
#define TALLY_CORE_BLOCK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_FILTER_LOG2 = 15 };

extern __attribute__((visibility("hidden")))
uint8_t block_filter[1 << BLOCK_FILTER_LOG2];

static inline uint32_t block_hash(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline bool block_filter_may_have(const void *block)
{
    return __builtin_expect(
        __atomic_load_n(&block_filter[block_hash((uintptr_t)block) >>
                                      (32 - BLOCK_FILTER_LOG2)],
                        __ATOMIC_RELAXED) != 0,
        0);
}

/* Any number of times for one address, and as often dropped. */
void block_filter_add(uint64_t address);
void block_filter_drop(uint64_t address);

/* Nobody keeps anything in mind: what a forked child begins with. */
void block_filter_clear(void);

#endif /* TALLY_CORE_BLOCK_FILTER_H */
