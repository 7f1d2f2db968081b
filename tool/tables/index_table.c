/* SPDX-License-Identifier: Apache-2.0 */
/*
 * index_table.c - where in an array the item with some key lies
 *
 * At most half full, so that a search ends at an unused slot.
 */
#include "tool/tables/index_table.h"

#include <stdlib.h>

enum { FIRST_SIZE = 256 };

void index_table_expect(struct index_table *table, size_t count)
{
    size_t size = table->size == 0 ? FIRST_SIZE : table->size;
    struct index_slot *slots;

    while (size / 2 <= count)
        size *= 2;
    if (size == table->size)
        return;
    slots = memory_zeroed(size, sizeof *slots);
    for (size_t i = 0; i < table->size; i++) {
        size_t at = table->slots[i].hash & (size - 1);

        if (!table->slots[i].is_used)
            continue;
        while (slots[at].is_used)
            at = (at + 1) & (size - 1);
        slots[at] = table->slots[i];
    }
    free(table->slots);
    table->slots = slots;
    table->size = size;
}

void index_table_free(struct index_table *table)
{
    free(table->slots);
    *table = (struct index_table){ 0 };
}
