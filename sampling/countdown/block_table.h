/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_table.h - sampled blocks that live
 *
 * Sampled blocks are few, and every free asks. One-byte counters, one for each
 * 16 bytes of address, say "no" for nearly all other blocks with one load.
 * Neighbours in memory have neighbouring counters. Addresses with the same
 * counter are 64 KiB apart in the near filter, which a processor's nearest
 * cache holds, and 2 MiB apart in the far one. A full counter stays full.
 *
 * Where many blocks are sampled, others share their counters. The far filter is
 * asked only then, and after it a third one, by another hash.
 *
 * Tables hold the blocks by key, which is an address, or a token with its
 * highest bit set. The caller locks. Entries are cut from chunks that are never
 * freed: memory that was once an entry stays one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/own_memory.h"
#include "core/base/plain_load.h"

enum { BLOCK_NEAR_LOG2 = 12, BLOCK_FAR_LOG2 = 17 };

extern __attribute__((visibility("hidden")))
uint8_t block_near[1 << BLOCK_NEAR_LOG2],
    block_far[1 << BLOCK_FAR_LOG2];

static inline uint32_t block_hash(uint64_t address)
{
    return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline uint8_t *block_near_at(uint64_t address)
{
    return &block_near[address >> 4 & ((1 << BLOCK_NEAR_LOG2) - 1)];
}

static inline uint8_t *block_far_at(uint64_t address)
{
    return &block_far[address >> 4 & ((1 << BLOCK_FAR_LOG2) - 1)];
}

static inline bool block_filter_may_have(const void *block)
{
    uintptr_t address = (uintptr_t)block;

    return __builtin_expect(PLAIN_LOAD(block_near_at(address)) != 0, 0) &&
           PLAIN_LOAD(block_far_at(address)) != 0;
}

/* Of a block that it may have: whether the other hash says so, too. */
bool block_filter_confirms(const void *block);

/* Any number of times for one address, and as often dropped. */
void block_filter_add(uint64_t address);
void block_filter_drop(uint64_t address);

/* Forget all blocks: what a forked child begins with. */
void block_filter_clear(void);

/* Keys of this kind are never addresses. */
#define BLOCK_TOKEN (UINT64_C(1) << 63)

/* Bits of block_hash() by which the caller may choose one of several tables. */
enum { BLOCK_TABLES_LOG2 = 4 };

/* What each entry begins with. */
struct block_entry {
    uint64_t key;
    void *next; /* in the table, or in its owner's list */
};

/* What tables of one kind have in common. */
struct block_table_kind {
    struct own_memory own;
    uint32_t entry, chunk; /* bytes */
    uint32_t heads;        /* a power of two: with so many it begins */
};

/* Begins as zeros. */
struct block_table {
    void **heads;
    uint32_t heads_mask;
    uint32_t count; /* of entries in it */
    void *unused;
    struct block_chunk *chunks;
};

/* An entry that is not used, in no table yet; NULL: no memory. */
void *block_table_make(struct block_table *table,
                       struct block_table_kind *kind);
void block_table_release(struct block_table *table, void *entry);

/* What leads to the entry, or the end of its chain, which is NULL. */
void **block_table_find(const struct block_table *table, uint64_t key);

/* Before an entry is inserted. False: no memory. */
bool block_table_make_room(struct block_table *table,
                           struct block_table_kind *kind);
void block_table_insert(struct block_table *table, void *entry);

/* Take out what a place leads to; the place leads on. */
void *block_table_remove(struct block_table *table, void **place);

/*
 * In a forked child with one thread: chains may be as another thread has left
 * them, and are made anew of the entries that are inside.
 */
void block_table_adopt(struct block_table *table,
                       const struct block_table_kind *kind,
                       bool (*is_inside)(void *entry));
