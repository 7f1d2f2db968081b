/* SPDX-License-Identifier: Apache-2.0 */
/* text_pool.c - see text_pool.h */
#include "tool/tables/text_pool.h"

#include <stdlib.h>
#include <string.h>

#include "tool/tables/array.h"

uint32_t text_hash(const char *text)
{
    uint32_t hash = 2166136261u; /* FNV-1a */

    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash ^ hash >> 15;
}

static bool is_text(const void *array, uint32_t index, const void *key)
{
    char *const *texts = array;

    return strcmp(texts[index], key) == 0;
}

uint32_t text_pool_add(struct text_pool *pool, const char *text)
{
    struct index_slot *slot;

    index_table_reserve(&pool->table);
    slot = index_table_find(&pool->table, text_hash(text), is_text, pool->texts,
                            text);
    if (!slot->is_used) {
        ARRAY_ADD(pool->texts, pool->count, memory_text(text));
        index_table_take(&pool->table, slot, pool->count - 1);
    }
    return slot->index;
}

const char *text_pool_text(const struct text_pool *pool, uint32_t number)
{
    return pool->texts[number];
}

void text_pool_free(struct text_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        free(pool->texts[i]);
    free(pool->texts);
    index_table_free(&pool->table);
    *pool = (struct text_pool){ 0 };
}
