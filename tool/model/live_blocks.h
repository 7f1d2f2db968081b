/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_blocks.h - the blocks that are allocated at one point of a trace
 *
 * Memory follows the most blocks that there were at once.
 */
#ifndef TALLY_TOOL_MODEL_LIVE_BLOCKS_H
#define TALLY_TOOL_MODEL_LIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_block {
    uint64_t address; /* never 0 */
    uint64_t size;    /* as it was asked for */
    uint32_t site;    /* whichever number the caller gives it */
};

/* All fields 0 is none. */
struct live_blocks {
    size_t count;

    struct live_block *table; /* private: open addressing, a power of 2 */
    size_t table_size;
};

/*
 * Add a block. 0; 1 if one was there, which is put into `*before` and replaced;
 * -1 without memory.
 */
int live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                    struct live_block *before);

/* Take out the block at an address, into `*block`; false: there is none. */
bool live_blocks_take(struct live_blocks *blocks, uint64_t address,
                      struct live_block *block);

void live_blocks_close(struct live_blocks *blocks);

#endif /* TALLY_TOOL_MODEL_LIVE_BLOCKS_H */
