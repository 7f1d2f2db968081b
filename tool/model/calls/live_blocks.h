/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_blocks.h - live blocks at one point of a trace
 *
 * Memory is proportional to the highest number of live blocks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
    uint64_t address; /* never 0 */
    uint64_t size;    /* requested bytes, or the bytes that a sample stands
                         for */
    uint32_t site;    /* number chosen by the caller */
    uint32_t sample;  /* number chosen by the caller */
};

/* Begins as { 0 }. */
struct live_blocks {
    size_t count;

    struct live_block *table; /* private: open addressing, a power of 2 */
    size_t table_size;
    unsigned table_shift; /* from hash to index */
};

/* Private: return the first slot for an address. */
static inline size_t live_blocks_home(const struct live_blocks *blocks,
                                      uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >>
                    blocks->table_shift);
}

/* Add a block. Return true if it replaces one, which goes into *before. */
bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                     struct live_block *before);

/* Remove the block at an address into *block; return false if there is none. */
bool live_blocks_take(struct live_blocks *blocks, uint64_t address,
                      struct live_block *block);

/* Prefetch the slot of an address. */
static inline void live_blocks_expect(const struct live_blocks *blocks,
                                      uint64_t address)
{
    if (blocks->table_size != 0)
        __builtin_prefetch(&blocks->table[live_blocks_home(blocks, address)]);
}

void live_blocks_close(struct live_blocks *blocks);
