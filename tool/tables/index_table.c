/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_table.c - see tables.h
 *
 * Tables are at most half full, so that a search ends at an unused slot.
 */
#include "tool/tables/tables.h"

enum { FIRST_SIZE = 256 };

void index_table_grow(struct index_table *table, size_t key_size,
                      const void *items, size_t item_size, size_t count)
{
    struct index_table larger = { .size = FIRST_SIZE, .arena = table->arena };

    while (larger.size / 2 <= count)
        larger.size *= 2;
    if (larger.size <= table->size)
        return;
    larger.slots =
        arena_zeroed(larger.arena, larger.size, sizeof *larger.slots);
    for (size_t i = 0; i < table->size; i++) {
        uint32_t number = table->slots[i] & (uint32_t)(table->size - 1);
        uint32_t mask = (uint32_t)(larger.size - 1), hash, at;

        if (number == 0)
            continue;
        hash = index_hash(
            index_key_of((const char *)items + (number - 1) * item_size,
                         key_size),
            key_size);
        for (at = hash & mask; larger.slots[at] != 0; at = (at + 1) & mask)
            ;
        larger.slots[at] = (hash & ~mask) | number;
    }
    arena_release(table->arena, table->slots);
    *table = larger;
}

void index_table_free(struct index_table *table)
{
    arena_release(table->arena, table->slots);
    *table = (struct index_table){ .arena = table->arena };
}
