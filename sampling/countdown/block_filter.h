/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_filter.h - whether a client may keep a block in mind
 *
 * Sampled blocks are few, and every free asks. One-byte counters, one for each
 * 16 bytes of address, say "no" for nearly all other blocks with one load.
 * Neighbours in memory have neighbouring counters, so few cache lines hold all.
 * Addresses with the same counter are 2 MiB apart. A full counter stays full.
 *
 * Where many blocks are kept in mind, others share their counters. Few share
 * the counter of a second hash as well, which is asked only then.
 */
#ifndef TALLY_CORE_BLOCK_FILTER_H
#define TALLY_CORE_BLOCK_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"

enum { BLOCK_FILTER_LOG2 = 17 };

extern __attribute__((visibility("hidden")))
uint8_t block_filter[1 << BLOCK_FILTER_LOG2];

static inline uint32_t block_hash(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline uint32_t block_filter_at(uint64_t address)
{
    return (uint32_t)(address >> 4) & ((1 << BLOCK_FILTER_LOG2) - 1);
}

static inline bool block_filter_may_have(const void *block)
{
    return __builtin_expect(
        PLAIN_LOAD(&block_filter[block_filter_at((uintptr_t)block)]) != 0, 0);
}

/* Of a block that it may have: whether the other hash says so, too. */
bool block_filter_confirms(const void *block);

/* Any number of times for one address, and as often dropped. */
void block_filter_add(uint64_t address);
void block_filter_drop(uint64_t address);

/* Forget all blocks: what a forked child begins with. */
void block_filter_clear(void);

#endif /* TALLY_CORE_BLOCK_FILTER_H */
