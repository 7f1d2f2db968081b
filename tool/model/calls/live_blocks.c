/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_blocks.c - live blocks at one point of a trace
 *
 * Linear probing without tombstones, as all blocks come and go:
 *
 *   B1  no entry between a block and its first slot is empty
 *   B2  the table is at most half full
 */
#include "tool/model/calls/calls.h"

#include <sys/mman.h>

enum {
    FIRST_TABLE_BITS = 10,
    LARGE_TABLE = 1 << 22, /* bytes */
};

/* Return the entry of the address, or the empty entry for it. */
static struct live_block *find_entry(const struct live_blocks *blocks,
                                     uint64_t address)
{
    size_t at = live_blocks_home(blocks, address);

    while (blocks->table[at].address != 0 &&
           blocks->table[at].address != address)
        at = (at + 1) & (blocks->table_size - 1);
    return &blocks->table[at];
}

/* Create a table in huge pages, which save a TLB miss for each block. */
static struct live_block *create_table(size_t size)
{
    struct live_block *table = memory_zeroed(size, sizeof *table);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = size * sizeof *table;

    if (bytes >= LARGE_TABLE) {
        size_t rest = (size_t)((uintptr_t)table % page);

        madvise((char *)table + (page - rest), bytes - (page - rest),
                MADV_HUGEPAGE);
    }
    return table;
}

/* Double the table. The index is the hash's highest bits, so that blocks keep
   their order and memory is walked once. */
static void grow_table(struct live_blocks *blocks)
{
    struct live_blocks larger = {
        .count = blocks->count,
        .table_size = blocks->table_size * 2,
        .table_shift = blocks->table_shift - 1,
    };

    if (blocks->count < blocks->table_size / 2)
        return;
    if (blocks->table_size == 0) {
        larger.table_size = (size_t)1 << FIRST_TABLE_BITS;
        larger.table_shift = 64 - FIRST_TABLE_BITS;
    }
    larger.table = create_table(larger.table_size);
    for (size_t i = 0; i < blocks->table_size; i++) {
        const struct live_block *block = &blocks->table[i];

        if (block->address != 0)
            *find_entry(&larger, block->address) = *block;
    }
    free(blocks->table);
    *blocks = larger;
}

bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block,
                     struct live_block *before)
{
    struct live_block *entry;

    grow_table(blocks);
    entry = find_entry(blocks, block->address);
    *before = *entry;
    *entry = *block;
    if (before->address != 0)
        return true;
    blocks->count++;
    INVARIANT(B2, blocks->count <= blocks->table_size / 2);
    return false;
}

/* Close the gap by moving later blocks that may lie there. */
static void remove_entry(struct live_blocks *blocks, size_t gap)
{
    const size_t mask = blocks->table_size - 1;
    struct live_block *table = blocks->table;

    for (size_t at = (gap + 1) & mask; table[at].address != 0;
         at = (at + 1) & mask) {
        size_t home = live_blocks_home(blocks, table[at].address);

        if (((at - home) & mask) >= ((at - gap) & mask)) {
            table[gap] = table[at];
            INVARIANT(B1, find_entry(blocks, table[at].address) == &table[gap]);
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
    entry = find_entry(blocks, address);
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
