/* SPDX-License-Identifier: Apache-2.0 */
/* text_pool.c - see tables.h */
#include "tool/tables/tables.h"

uint32_t text_pool_add(struct text_pool *pool, const char *text)
{
    uint32_t number;

    if (text == NULL)
        return INDEX_NONE;
    number = index_table_find(&pool->table, INDEX_TEXT, pool->texts,
                              sizeof *pool->texts, text);
    if (number == INDEX_NONE) {
        char *copy = arena_text(pool->table.arena, text);

        number = INDEX_ADD(&pool->table, INDEX_TEXT, pool->texts, pool->count,
                           &copy);
    }
    return number;
}

const char *text_pool_keep(struct text_pool *pool, const char *text)
{
    uint32_t number = text_pool_add(pool, text); /* `texts` may move */

    return text == NULL ? NULL : pool->texts[number];
}

void text_pool_free(struct text_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        free(pool->texts[i]);
    free(pool->texts);
    index_table_free(&pool->table);
    *pool = (struct text_pool){ 0 };
}
