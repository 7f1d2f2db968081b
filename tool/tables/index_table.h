/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_table.h - where in an array the item with some key lies
 *
 * Open addressing over the indices of an array that its owner keeps. Begins as
 * { 0 }; of each item the table knows its hash and its index.
 *
 *     list->items = index_table_add(&table, hash, is_same, list->items,
 *                                   &list->count, sizeof item, &item, &number);
 *     use(list->items[number]);
 */
#ifndef TALLY_TOOL_MODEL_INDEX_TABLE_H
#define TALLY_TOOL_MODEL_INDEX_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tool/tables/array.h"

struct index_slot {
    uint32_t hash;
    uint32_t index : 31; /* so many items fit a ledger */
    uint32_t is_used : 1;
};

struct index_table {
    struct index_slot *slots;
    size_t size; /* 0, or a power of two */
    size_t used;
};

/* Whether item number `index` of `array` has the key. */
typedef bool index_is_fn(const void *array, uint32_t index, const void *key);

/* Private: twice the size. */
void index_table_grow(struct index_table *table);

/* Make room for one more item. */
static inline void index_table_reserve(struct index_table *table)
{
    if (table->used >= table->size / 2)
        index_table_grow(table);
}

/*
 * The slot of the item with the key, or the unused one where it belongs.
 * Inline, so that `is_same` is no call: events look for their sites by the
 * million.
 */
static inline struct index_slot *
index_table_find(const struct index_table *table, uint32_t hash,
                 index_is_fn *is_same, const void *array, const void *key)
{
    size_t at = hash & (table->size - 1);

    for (;; at = (at + 1) & (table->size - 1)) {
        struct index_slot *slot = &table->slots[at];

        if (!slot->is_used) {
            slot->hash = hash;
            return slot;
        }
        if (slot->hash == hash && is_same(array, slot->index, key))
            return slot;
    }
}

/* Use the slot that was found for an item. */
void index_table_take(struct index_table *table, struct index_slot *slot,
                      size_t index);

/*
 * The number of an item in an array of `*count` items of `size` bytes, which is
 * put behind the others when none `is_same`. Returns the array, which may have
 * moved.
 */
static inline void *index_table_add(struct index_table *table, uint32_t hash,
                                    index_is_fn *is_same, void *array,
                                    size_t *count, size_t size,
                                    const void *item, uint32_t *number)
{
    struct index_slot *slot;

    index_table_reserve(table);
    slot = index_table_find(table, hash, is_same, array, item);
    if (!slot->is_used) {
        array = array_grow(array, *count, size);
        memcpy((char *)array + *count * size, item, size);
        index_table_take(table, slot, (*count)++);
    }
    *number = slot->index;
    return array;
}

void index_table_free(struct index_table *table);

/* A hash of one number, and of two. */
static inline uint32_t index_hash_one(uint64_t number)
{
    uint64_t hash = number * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(hash ^ hash >> 32);
}

uint32_t index_hash(uint64_t a, uint64_t b);

#endif /* TALLY_TOOL_MODEL_INDEX_TABLE_H */
