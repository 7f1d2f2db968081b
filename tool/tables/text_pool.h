/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_pool.h - distinct texts, numbered
 *
 * Begins as { 0 }, or with the arena of its table, and then needs no
 * text_pool_free(). Texts never move.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tool/tables/index_table.h"

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
