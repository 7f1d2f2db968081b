/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_table.h - where in an array the item with some key lies
 *
 * Open addressing over the indices of an array that its owner keeps. Begins as
 * { 0 }; of each item the table knows its hash and its index. The key is the
 * first bytes of an item, among which is no padding.
 *
 *     number = INDEX_ADD(&list->table, INDEX_KEY(struct item, address),
 *                        list->items, list->count, &item);
 *     use(list->items[number]);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tool/tables/array.h"

/* In place of a key's size: items are pointers to texts, and so is the key. */
enum { INDEX_TEXT = 0 };

#define INDEX_NONE UINT32_MAX

struct index_slot {
    uint32_t hash;
    uint32_t index : 31; /* so many items fit a ledger */
    uint32_t is_used : 1;
};

struct index_table {
    struct index_slot *slots;
    size_t size; /* 0, or a power of two */
    size_t used;
    uint32_t last; /* the number that INDEX_ADD() evaluates to */
};

/* So many items may come: it need not grow then. */
void index_table_expect(struct index_table *table, size_t count);

/* The bytes of an item up to that field, its key. */
#define INDEX_KEY(type, field) \
    (offsetof(type, field) + sizeof(((type *)NULL)->field))

static inline uint32_t text_hash(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash ^ hash >> 15;
}

static inline uint32_t index_hash(const void *key, size_t size)
{
    const char *bytes = key;
    uint64_t hash = 0;

    if (size == INDEX_TEXT)
        return text_hash(bytes);
    for (size_t at = 0; at < size; at += sizeof hash) {
        uint64_t part = 0;

        memcpy(&part, bytes + at,
               size - at < sizeof part ? size - at : sizeof part);
        hash = (hash ^ hash >> 32 ^ part) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

/*
 * Private: the slot of the item with the key, or the unused one where it
 * belongs. Inline, so that sizes are constant: events look for their sites by
 * the million.
 */
static inline struct index_slot *
index_slot_of(const struct index_table *table, size_t key_size,
              const void *items, size_t item_size, const void *key)
{
    uint32_t hash = index_hash(key, key_size);

    for (size_t at = hash & (table->size - 1);;
         at = (at + 1) & (table->size - 1)) {
        struct index_slot *slot = &table->slots[at];
        const char *item;

        if (!slot->is_used) {
            slot->hash = hash;
            return slot;
        }
        item = (const char *)items + slot->index * item_size;
        if (slot->hash == hash &&
            (key_size == INDEX_TEXT
                 ? strcmp(*(const char *const *)item, key) == 0
                 : memcmp(item, key, key_size) == 0))
            return slot;
    }
}

/* The number of the item with the key, or INDEX_NONE. */
static inline uint32_t index_table_find(const struct index_table *table,
                                        size_t key_size, const void *items,
                                        size_t item_size, const void *key)
{
    const struct index_slot *slot;

    if (table->size == 0)
        return INDEX_NONE;
    slot = index_slot_of(table, key_size, items, item_size, key);
    return slot->is_used ? slot->index : INDEX_NONE;
}

/* Private: INDEX_ADD() with sizes; returns the array, which may have moved. */
static inline void *index_table_add(struct index_table *table, size_t key_size,
                                    void *items, size_t *count,
                                    size_t item_size, const void *item)
{
    struct index_slot *slot;

    if (table->used >= table->size / 2)
        index_table_expect(table, table->used);
    slot = index_slot_of(table, key_size, items, item_size,
                         key_size == INDEX_TEXT ? *(char *const *)item : item);
    if (!slot->is_used) {
        items = array_grow(items, *count, item_size);
        memcpy((char *)items + *count * item_size, item, item_size);
        slot->index = (uint32_t)(*count)++ & UINT32_C(0x7fffffff);
        slot->is_used = 1;
        table->used++;
    }
    table->last = slot->index;
    return items;
}

/*
 * The number of the item with the key of `item`, which is put behind the others
 * when there is none.
 */
#define INDEX_ADD(table, key_size, array, count, item)                 \
    ((array) = index_table_add((table), (key_size), (array), &(count), \
                               sizeof *(array), (item)),               \
     (table)->last)

void index_table_free(struct index_table *table);
