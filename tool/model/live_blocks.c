/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_blocks.c - the blocks that are allocated at one point of a trace
 *
 * Linear probing without tombstones, as all blocks come and go:
 *
 *   B1  between a block and where its address belongs no entry is empty
 *   B2  the table is at most half full
 */
#include "tool/model/live_blocks.h"

#include <stdlib.h>

enum { FIRST_TABLE_SIZE = 1024 };

static size_t home_of(uint64_t address, size_t table_size)
{
    uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(hash ^ hash >> 32) & (table_size - 1);
}

/* The entry of the address, or the empty one where it belongs. */
static struct live_block *find_entry(struct live_block *table,
                                     size_t table_size, uint64_t address)
{
    size_t at = home_of(address, table_size);

    while (table[at].address != 0 && table[at].address != address)
        at = (at + 1) & (table_size - 1);
    return &table[at];
}

static int grow_table(struct live_blocks *blocks)
{
    size_t size = blocks->table_size * 2;
    struct live_block *table;

    if (blocks->count < blocks->table_size / 2)
        return 0;
    if (size == 0)
        size = FIRST_TABLE_SIZE;
    table = calloc(size, sizeof *table);
    if (table == NULL)
        return -1;
    for (size_t i = 0; i < blocks->table_size; i++) {
        const struct live_block *block = &blocks->table[i];

        if (block->address != 0)
            *find_entry(table, size, block->address) = *block;
    }
    free(blocks->table);
    blocks->table = table;
    blocks->table_size = size;
    return 0;
}

int live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                    struct live_block *before)
{
    struct live_block *entry;

    if (grow_table(blocks) < 0)
        return -1;
    entry = find_entry(blocks->table, blocks->table_size, block->address);
    *before = *entry;
    *entry = *block;
    if (before->address != 0)
        return 1;
    blocks->count++;
    return 0;
}

/* Close the gap: move up what its home is not behind of. */
static void remove_entry(struct live_blocks *blocks, size_t gap)
{
    const size_t mask = blocks->table_size - 1;
    struct live_block *table = blocks->table;

    for (size_t at = (gap + 1) & mask; table[at].address != 0;
         at = (at + 1) & mask) {
        size_t home = home_of(table[at].address, blocks->table_size);

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table[gap] = table[at];
            gap = at;
        }
    }
    table[gap].address = 0;
    blocks->count--;
}

bool live_blocks_take(struct live_blocks *blocks, uint64_t address,
                      struct live_block *block)
{
    struct live_block *entry;

    if (blocks->table_size == 0 || address == 0)
        return false;
    entry = find_entry(blocks->table, blocks->table_size, address);
    if (entry->address == 0)
        return false;
    *block = *entry;
    remove_entry(blocks, (size_t)(entry - blocks->table));
    return true;
}

void live_blocks_close(struct live_blocks *blocks)
{
    free(blocks->table);
    *blocks = (struct live_blocks){ 0 };
}
