/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - memory, arrays, tables and pools */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Allocation that ends the command if memory runs out
 *
 * A report without some of its memory would be wrong. So a failed request ends
 * the command, with status 2 and one line:
 *
 *     tally: WHAT: there is not enough memory PURPOSE; free some and try again
 *
 * Not for tally record and its helpers, which must not end a recording.
 */

/* Use of memory, for the line. */
struct memory_use {
    const char *what;    /* source, option or command, or NULL */
    const char *purpose; /* " to load it", or "" */
    bool has_libraries;  /* requests of libraries end the command, too */
};

/* Set this thread's use of memory (NULL: unknown) and return the previous one,
   for the caller to restore. */
const struct memory_use *memory_use(const struct memory_use *use);

/* Set a function to call before that line, to remove a partial file or leave a
   screen; NULL: none. */
void memory_undo(void (*undo)(void));

/* Use for names: libdw may ignore its own failed requests. */
extern const struct memory_use memory_for_names;

/* Return `block`, or end the command if it is NULL. */
void *memory_or_exit(void *block);

/* End the command because memory ran out. */
_Noreturn void exit_out_of_memory(void);

/* Return a block for free(), never NULL. */
void *memory_zeroed(size_t count, size_t size);
void *memory_resized(void *block, size_t count, size_t size);
char *memory_text(const char *text);
char *memory_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/*
 * A local variable that owns a block, which is freed at the end of its scope
 *
 *     OWNED char *name = memory_print("%s.d", path);
 */
#define OWNED __attribute__((cleanup(memory_free_owned)))

/* Private: free the block that a variable points to. */
static inline void memory_free_owned(void *variable)
{
    free(*(void **)variable);
}

/*
 * Arrays that grow by one item, and searches in sorted ones
 *
 *     ARRAY_ADD(list->items, list->count, item);
 */

/* Return `array` with room for one more item; it doubles at powers of two. */
static inline void *array_grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return memory_resized(array, count == 0 ? 1 : count * 2, item_size);
}

/* Append an item. */
#define ARRAY_ADD(array, count, ...)                          \
    ((array) = array_grow((array), (count), sizeof *(array)), \
     (array)[(count)++] = (__VA_ARGS__))

/* Sort an array, even an empty one, whose NULL qsort() does not take. */
#define ARRAY_SORT(array, count, compare)                              \
    ((count) > 0 ? qsort((array), (count), sizeof *(array), (compare)) \
                 : (void)0)

/* Compare items by the uint64_t at their start, for qsort(). */
static inline int array_compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

/* Return how many of the sorted items begin with at most `number`. */
static inline size_t array_count_until(const void *array, size_t count,
                                       size_t item_size, uint64_t number)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (*(const uint64_t *)((const char *)array + middle * item_size) <=
            number)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/*
 * Memory that is freed all at once
 *
 * A profile and its names lie in one arena, so that no part of them needs a
 * function to free it.
 *
 *     struct arena *arena = arena_create();
 *
 *     list->name = arena_text(arena, name);
 *     ARENA_ADD(arena, list->items, list->count, item);
 *     arena_destroy(arena);
 *
 * A NULL arena is the heap: its blocks are for free().
 */

struct arena;

struct arena *arena_create(void);

/* Call what arena_at_end() registered, the last first, and free all blocks. */
void arena_destroy(struct arena *arena);

/* Call `end(object)` when the arena is destroyed. */
void arena_at_end(struct arena *arena, void (*end)(void *object), void *object);

/* Return a block that can be resized: a new one of zeros, or a resized one. */
void *arena_zeroed(struct arena *arena, size_t count, size_t size);
void *arena_resized(struct arena *arena, void *block, size_t count,
                    size_t size);

/* Free such a block before the arena, because it is large and not needed. */
void arena_release(struct arena *arena, void *block);

/* Return a copy of `size` bytes that is neither resized nor released. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);

/* Return a copy of a text, of `length` bytes as a text, or a formatted text. */
char *arena_text(struct arena *arena, const char *text);
char *arena_text_of(struct arena *arena, const void *bytes, size_t length);
char *arena_print(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like array_grow() and ARRAY_ADD(), in an arena. */
static inline void *arena_grow(struct arena *arena, void *array, size_t count,
                               size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return arena_resized(arena, array, count == 0 ? 1 : count * 2, item_size);
}

#define ARENA_ADD(arena, array, count, ...)                            \
    ((array) = arena_grow((arena), (array), (count), sizeof *(array)), \
     (array)[(count)++] = (__VA_ARGS__))

/*
 * Index of an array by key
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

/*
 * Distinct texts, numbered
 *
 * Begins as { 0 }, or with the arena of its table, and then needs no
 * text_pool_free(). Texts never move.
 */

struct text_pool {
    char **texts; /* by number, from 0 */
    size_t count;
    struct index_table table; /* private */
};

/* Return the number of a text, which is copied if it is new; INDEX_NONE for
   NULL. */
uint32_t text_pool_add(struct text_pool *pool, const char *text);

/* Return the pool's copy of a text; NULL for NULL. */
const char *text_pool_keep(struct text_pool *pool, const char *text);

void text_pool_free(struct text_pool *pool);

/*
 * Gzip output
 *
 * Output depends on the input alone: it has no name and no time.
 */

/* Return a stream that compresses to `out`; fclose() writes the end. `out` must
   outlive it and keeps its errors. */
FILE *gzip_stream_open(FILE *out);
