/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_blocks.h - the blocks that are allocated at one point of a trace
 *
 * Memory follows the most blocks that there were at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
    uint64_t address; /* never 0 */
    uint64_t size;    /* as it was asked for, or as a sample stands for */
    uint32_t site;    /* whichever number the caller gives it */
    uint32_t sample;  /* likewise */
};

/* All fields 0 is none. */
struct live_blocks {
    size_t count;

    struct live_block *table; /* private: open addressing, a power of 2 */
    size_t table_size;
    unsigned table_shift; /* of a hash to an index */
};

/* Private: where the entry of an address belongs. */
static inline size_t live_blocks_home(const struct live_blocks *blocks,
                                      uint64_t address)
{
    return (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >>
                    blocks->table_shift);
}

/* Add a block. True if one was there, which is put into `*before` and
   replaced. */
bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                     struct live_block *before);

/* Take out the block at an address, into `*block`; false: there is none. */
bool live_blocks_take(struct live_blocks *blocks, uint64_t address,
                      struct live_block *block);

/* Have what is known of an address at hand soon. */
static inline void live_blocks_expect(const struct live_blocks *blocks,
                                      uint64_t address)
{
    if (blocks->table_size != 0)
        __builtin_prefetch(&blocks->table[live_blocks_home(blocks, address)]);
}

void live_blocks_close(struct live_blocks *blocks);
