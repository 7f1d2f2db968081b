/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_table.h - tables of live sampled blocks
 *
 * Sampled blocks are few, but every free must look for them. One-byte counters,
 * one for each 16 bytes of address, exclude nearly all other blocks with one
 * load. Neighbours in memory have neighbouring counters. Addresses with the
 * same counter are 64 KiB apart in the near filter, which fits the L1 cache,
 * and 2 MiB apart in the far one. A saturated counter stays saturated.
 *
 * The highest bit of each near counter says that frees may pass without another
 * look: block_filter_open(). So the entry point of a free tests one byte, which
 * a fork clears in a recorded process.
 *
 * With many sampled blocks, other blocks share their counters. Only then the
 * far filter is read, and after it a third one with another hash.
 *
 * Tables map keys to entries; a key is an address, or a token with its highest
 * bit set. The caller locks. Entries come from chunks that are never freed:
 * memory of an entry is only used for entries.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/own_memory.h"
#include "core/base/plain_load.h"

enum { BLOCK_NEAR_LOG2 = 12, BLOCK_FAR_LOG2 = 17 };

enum { BLOCK_PASSES = 0x80 }; /* in a near counter */

extern __attribute__((visibility("hidden")))
uint8_t block_near[1 << BLOCK_NEAR_LOG2],
    block_far[1 << BLOCK_FAR_LOG2];

static inline uint32_t block_hash(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline uint8_t *block_near_at(uint64_t address)
{
    uint32_t low = (uint16_t)address;

    __asm__("" : "+r"(low)); /* gcc would clear the high bits once more */
    return &block_near[low >> (16 - BLOCK_NEAR_LOG2)];
}

static inline uint8_t *block_far_at(uint64_t address)
{
    return &block_far[address >> 4 & ((1 << BLOCK_FAR_LOG2) - 1)];
}

static inline bool block_filter_may_have(const void *block)
{
    uintptr_t address = (uintptr_t)block;

    return __builtin_expect(
               (PLAIN_LOAD(block_near_at(address)) & ~BLOCK_PASSES) != 0, 0) &&
           PLAIN_LOAD(block_far_at(address)) != 0;
}

/* Return true if a free needs only the allocator. */
static inline bool block_filter_passes(const void *block)
{
    return PLAIN_LOAD(block_near_at((uintptr_t)block)) == BLOCK_PASSES;
}

/* Let frees of blocks that are not followed pass, or none. */
void block_filter_open(bool is_open);

/* Return true if the third filter, too, may contain the block. */
bool block_filter_confirms(const void *block);

/* Add or remove an address; one address may be added several times. */
void block_filter_add(uint64_t address);
void block_filter_drop(uint64_t address);

/* Remove all blocks, in a forked child. */
void block_filter_clear(void);

/* Bit of keys that are tokens, not addresses. */
#define BLOCK_TOKEN (UINT64_C(1) << 63)

/* Bits of block_hash() by which the caller may choose one of several tables. */
enum { BLOCK_TABLES_LOG2 = 4 };

/* First fields of each entry. */
struct block_entry {
    uint64_t key;
    void *next; /* in the table, or in its owner's list */
};

/* Properties of all tables of one kind. */
struct block_table_kind {
    struct own_memory own;
    uint32_t entry, chunk; /* sizes in bytes */
    uint32_t heads;        /* initial number of heads, a power of two */
};

/* A table begins as zeros. */
struct block_table {
    void **heads;
    uint32_t heads_mask;
    uint32_t count; /* entries in the table */
    void *unused;
    struct block_chunk *chunks;
};

/* Allocate an entry, in no table yet; NULL: no memory. Release frees it. */
void *block_table_make(struct block_table *table,
                       struct block_table_kind *kind);
void block_table_release(struct block_table *table, void *entry);

/* Return the link that points to the entry, or the NULL at the end of its
   chain. */
void **block_table_find(const struct block_table *table, uint64_t key);

/* Prepare an insertion; return false if there is no memory. */
bool block_table_make_room(struct block_table *table,
                           struct block_table_kind *kind);
void block_table_insert(struct block_table *table, void *entry);

/* Remove the entry that a link points to; the link then points to the next. */
void *block_table_remove(struct block_table *table, void **place);

/* Rebuild the chains, in a forked child with one thread: another thread may
   have left them inconsistent. `is_inside` selects the entries. */
void block_table_adopt(struct block_table *table,
                       const struct block_table_kind *kind,
                       bool (*is_inside)(void *entry));
