/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - a hash table from text to a pointer
 *
 * All its memory is charged to the line that made it.
 */
#ifndef CATALOG_TABLE_H
#define CATALOG_TABLE_H

#include <stddef.h>

#include "tally/alloc_tag.h"

struct table;

/* With room for this many keys at first. NULL: no memory. */
struct table *table_new_noprof(size_t keys);
#define table_new(...) alloc_hooks(table_new_noprof(__VA_ARGS__))

/* Where the value of the key is, NULL in a new one; or NULL: no memory. */
void **table_at(struct table *table, const char *key, size_t length);

/* The same for a key that may not be there: NULL. */
void **table_find(const struct table *table, const char *key);

/* `end` is called for each value. */
void table_delete(struct table *table, void (*end)(void *value));

#endif /* CATALOG_TABLE_H */
