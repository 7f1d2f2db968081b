/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_table.h - index of an array by key
 *
 * Open addressing over the numbers of items in an array that its owner keeps. A
 * slot holds a number and, in the remaining bits, a part of the hash. A key is
 * the first bytes of an item, without padding. Begins as { 0 }, or with the
 * arena for slots and array.
 *
 *     number = INDEX_ADD(&list->table, INDEX_KEY(struct item, address),
 *                        list->items, list->count, &item);
 *     use(list->items[number]);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tool/tables/arena.h"

/* Key size of items that are pointers to texts. */
enum { INDEX_TEXT = 0 };

#define INDEX_NONE UINT32_MAX

struct index_table {
    uint32_t *slots;     /* 0: unused; else number + 1 in the low bits, hash
                        above */
    size_t size;         /* 0, or a power of two; more than twice the items */
    uint32_t last;       /* private: result of INDEX_ADD() */
    struct arena *arena; /* for slots and array; NULL: the heap */
};

/* Private: make room for `count` items. */
void index_table_grow(struct index_table *table, size_t key_size,
                      const void *items, size_t item_size, size_t count);

/* Make room for `count` items in advance. */
#define INDEX_EXPECT(table, key_size, array, count) \
    index_table_grow((table), (key_size), (array), sizeof *(array), (count))

/* Size of a key that ends with `field`. */
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

/* Private: return the key of an item. */
static inline const void *index_key_of(const void *item, size_t key_size)
{
    return key_size == INDEX_TEXT ? *(const char *const *)item : item;
}

/* Private: return the slot of the key, or the unused slot for it. Inline for
   constant sizes: millions of events look for their sites. */
static inline uint32_t *index_slot_of(const struct index_table *table,
                                      uint32_t hash, size_t key_size,
                                      const void *items, size_t item_size,
                                      const void *key)
{
    uint32_t mask = (uint32_t)(table->size - 1);

    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        uint32_t *slot = &table->slots[at];
        const char *item;

        if (*slot == 0)
            return slot;
        item = (const char *)items + ((*slot & mask) - 1) * item_size;
        if (((*slot ^ hash) & ~mask) == 0 &&
            (key_size == INDEX_TEXT
                 ? strcmp(*(const char *const *)item, key) == 0
                 : memcmp(item, key, key_size) == 0))
            return slot;
    }
}

/* Return the number of the item with the key, or INDEX_NONE. */
static inline uint32_t index_table_find(const struct index_table *table,
                                        size_t key_size, const void *items,
                                        size_t item_size, const void *key)
{
    uint32_t slot;

    if (table->size == 0)
        return INDEX_NONE;
    slot = *index_slot_of(table, index_hash(key, key_size), key_size, items,
                          item_size, key);
    return slot == 0 ? INDEX_NONE : (slot & (uint32_t)(table->size - 1)) - 1;
}

/* Private: INDEX_ADD() with sizes; return the array, which may have moved. */
static inline void *index_table_add(struct index_table *table, size_t key_size,
                                    void *items, size_t *count,
                                    size_t item_size, const void *item)
{
    const void *key = index_key_of(item, key_size);
    uint32_t hash = index_hash(key, key_size), mask, *slot;

    if (table->size / 2 <= *count)
        index_table_grow(table, key_size, items, item_size, *count);
    mask = (uint32_t)(table->size - 1);
    slot = index_slot_of(table, hash, key_size, items, item_size, key);
    if (*slot == 0) {
        items = arena_grow(table->arena, items, *count, item_size);
        memcpy((char *)items + *count * item_size, item, item_size);
        *slot = (hash & ~mask) | (uint32_t)++ * count;
    }
    table->last = (*slot & mask) - 1;
    return items;
}

/* Evaluate to the number of the item with the key of `item`, which is appended
   if there is none. */
#define INDEX_ADD(table, key_size, array, count, item)                 \
    ((array) = index_table_add((table), (key_size), (array), &(count), \
                               sizeof *(array), (item)),               \
     (table)->last)

/* Free the slots, early if they lie in an arena. */
void index_table_free(struct index_table *table);
