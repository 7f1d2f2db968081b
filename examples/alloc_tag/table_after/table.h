/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - a hash table from text to pointers
 *
 * All its memory is charged to the line that created it.
 */
#ifndef CATALOG_TABLE_H
#define CATALOG_TABLE_H

#include <stddef.h>

#include "tally/alloc_tag.h"

struct table;

/* Create a table with room for this many keys; NULL: no memory. */
struct table *table_new_noprof(size_t keys);
#define table_new(...) alloc_hooks(table_new_noprof(__VA_ARGS__))

/* Return the address of the key's value, NULL in a new entry; or NULL: no
   memory. */
void **table_at(struct table *table, const char *key, size_t length);

/* Return the address of the key's value, or NULL if there is no such key. */
void **table_find(const struct table *table, const char *key);

/* Delete the table; call `end` for each value. */
void table_delete(struct table *table, void (*end)(void *value));

#endif /* CATALOG_TABLE_H */
