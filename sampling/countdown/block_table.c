/* SPDX-License-Identifier: Apache-2.0 */
/* block_table.c - filters and hash tables of sampled blocks; see
   block_table.h */
#include "sampling/countdown/block_table.h"

#include <string.h>

enum { CONFIRMS_LOG2 = 15 };

/* A page of its own, which the recorder lets a fork clear. */
_Alignas(1 << BLOCK_NEAR_LOG2) uint8_t block_near[1 << BLOCK_NEAR_LOG2];
uint8_t block_far[1 << BLOCK_FAR_LOG2];
static uint8_t confirms[1 << CONFIRMS_LOG2];

static bool is_used; /* by a block that can be removed again */

static uint8_t *confirms_at(uint64_t address)
{
    return &confirms[block_hash(address) >> (32 - CONFIRMS_LOG2)];
}

bool block_filter_confirms(const void *block)
{
    return __atomic_load_n(confirms_at((uintptr_t)block), __ATOMIC_RELAXED) !=
           0;
}

/* Add to the bits of `mask`. A saturated counter has lost its count, and stays
   saturated. */
static void change(uint8_t *counter, uint8_t mask, int by)
{
    uint8_t seen = __atomic_load_n(counter, __ATOMIC_RELAXED);

    while ((seen & mask) != mask &&
           !__atomic_compare_exchange_n(counter, &seen, (uint8_t)(seen + by),
                                        false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

void block_filter_open(bool is_open)
{
    typedef uint64_t __attribute__((may_alias)) eight_counters;
    const uint64_t all = BLOCK_PASSES * UINT64_C(0x0101010101010101);
    eight_counters *at = (void *)block_near;

    for (size_t i = 0; i < sizeof block_near / sizeof *at; i++) {
        if (is_open)
            __atomic_fetch_or(&at[i], all, __ATOMIC_SEQ_CST);
        else
            __atomic_fetch_and(&at[i], ~all, __ATOMIC_SEQ_CST);
    }
}

void block_filter_add(uint64_t address)
{
    if (!__atomic_load_n(&is_used, __ATOMIC_RELAXED))
        __atomic_store_n(&is_used, true, __ATOMIC_RELAXED);
    change(confirms_at(address), UINT8_MAX, 1);
    change(block_far_at(address), UINT8_MAX, 1);
    change(block_near_at(address), (uint8_t)~BLOCK_PASSES, 1);
}

void block_filter_drop(uint64_t address)
{
    change(block_near_at(address), (uint8_t)~BLOCK_PASSES, -1);
    change(block_far_at(address), UINT8_MAX, -1);
    change(confirms_at(address), UINT8_MAX, -1);
}

void block_filter_clear(void)
{
    if (is_used) {
        memset(block_near, 0, sizeof block_near);
        memset(block_far, 0, sizeof block_far);
        memset(confirms, 0, sizeof confirms);
    }
    is_used = false;
}

struct block_chunk {
    struct block_chunk *next;
    char entries[];
};

static size_t per_chunk(const struct block_table_kind *kind)
{
    return (kind->chunk - sizeof(struct block_chunk)) / kind->entry;
}

void *block_table_make(struct block_table *table, struct block_table_kind *kind)
{
    struct block_entry *entry;

    if (table->unused == NULL) {
        struct block_chunk *chunk = own_memory_alloc(&kind->own, kind->chunk);

        if (chunk == NULL)
            return NULL;
        chunk->next = table->chunks;
        table->chunks = chunk;
        for (size_t i = 0; i < per_chunk(kind); i++)
            block_table_release(table, chunk->entries + i * kind->entry);
    }
    entry = table->unused;
    table->unused = entry->next;
    return entry;
}

void block_table_release(struct block_table *table, void *entry)
{
    ((struct block_entry *)entry)->next = table->unused;
    table->unused = entry;
}

static void **head_of(const struct block_table *table, uint64_t key)
{
    return &table->heads[block_hash(key) >> BLOCK_TABLES_LOG2 &
                         table->heads_mask];
}

void **block_table_find(const struct block_table *table, uint64_t key)
{
    static void *none;
    void **place = table->heads == NULL ? &none : head_of(table, key);
    struct block_entry *entry;

    while ((entry = *place) != NULL && entry->key != key)
        place = &entry->next;
    return place;
}

static void hang(const struct block_table *table, struct block_entry *entry)
{
    void **head = head_of(table, entry->key);

    entry->next = *head;
    *head = entry;
}

/* Make as many heads as entries; without memory, chains get longer. */
bool block_table_make_room(struct block_table *table,
                           struct block_table_kind *kind)
{
    uint32_t heads = table->heads == NULL ? 0 : table->heads_mask + 1;
    uint32_t count = heads == 0 ? kind->heads : 2 * heads;
    struct block_table larger = { .heads_mask = count - 1 };
    void **before = table->heads;

    if (table->count < heads)
        return true;
    larger.heads = own_memory_alloc(&kind->own, count * sizeof *before);
    if (larger.heads == NULL)
        return heads != 0;
    for (uint32_t i = 0; i < heads; i++) {
        for (struct block_entry *entry = before[i], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            hang(&larger, entry);
        }
    }
    /* A fork in between leaves the larger table with the smaller mask. */
    __atomic_store_n(&table->heads, larger.heads, __ATOMIC_RELEASE);
    __atomic_store_n(&table->heads_mask, larger.heads_mask, __ATOMIC_RELEASE);
    if (heads != 0)
        own_memory_free(&kind->own, before, heads * sizeof *before);
    return true;
}

void block_table_insert(struct block_table *table, void *entry)
{
    uint64_t key = ((struct block_entry *)entry)->key;

    hang(table, entry);
    table->count++;
    if ((key & BLOCK_TOKEN) == 0)
        block_filter_add(key);
}

void *block_table_remove(struct block_table *table, void **place)
{
    struct block_entry *entry = *place;

    *place = entry->next;
    table->count--;
    if ((entry->key & BLOCK_TOKEN) == 0)
        block_filter_drop(entry->key);
    return entry;
}

void block_table_adopt(struct block_table *table,
                       const struct block_table_kind *kind,
                       bool (*is_inside)(void *entry))
{
    table->unused = NULL;
    table->count = 0;
    if (table->heads != NULL)
        memset(table->heads, 0,
               (table->heads_mask + (size_t)1) * sizeof *table->heads);
    for (struct block_chunk *chunk = table->chunks; chunk != NULL;
         chunk = chunk->next) {
        for (size_t i = 0; i < per_chunk(kind); i++) {
            void *entry = chunk->entries + i * kind->entry;

            if (is_inside(entry))
                block_table_insert(table, entry);
            else
                block_table_release(table, entry);
        }
    }
}
