/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text_pool.h - texts, each once, with a number
 *
 * Begins as { 0 }, or with the arena of its table, which needs no
 * text_pool_free(). A text stays where it is until then.
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

/* The number of the text, which is copied if it is new; INDEX_NONE of NULL. */
uint32_t text_pool_add(struct text_pool *pool, const char *text);

/* Likewise, but that copy, or NULL. */
const char *text_pool_keep(struct text_pool *pool, const char *text);

void text_pool_free(struct text_pool *pool);
