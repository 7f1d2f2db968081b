/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - hash table with chains, which double when entries outnumber them */
#include "table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tally/malloc.h"

enum { FEWEST_CHAINS = 8 };

struct entry {
    struct entry *next;
    void *value;
    uint32_t hash;
    char key[];
};

struct table {
    struct entry **chains;
    size_t chain_count; /* a power of two */
    size_t entry_count;
    struct alloc_tag *tag; /* tag of the line that created it */
};

static uint32_t hash_of(const char *key, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619u;
    return hash;
}

static struct entry **chain_of(const struct table *table, uint32_t hash)
{
    return &table->chains[hash & (table->chain_count - 1)];
}

struct table *table_new_noprof(size_t keys)
{
    struct table *table = calloc_noprof(1, sizeof *table);

    if (table == NULL)
        return NULL;
    alloc_tag_record(table->tag);
    table->chain_count = FEWEST_CHAINS;
    while (table->chain_count < keys)
        table->chain_count *= 2;
    table->chains = calloc_noprof(table->chain_count, sizeof *table->chains);
    if (table->chains != NULL)
        return table;
    free(table);
    return NULL;
}

static struct entry *find(const struct table *table, const char *key,
                          size_t length)
{
    uint32_t hash = hash_of(key, length);
    struct entry *entry = *chain_of(table, hash);

    while (entry != NULL &&
           (entry->hash != hash || strncmp(entry->key, key, length) != 0 ||
            entry->key[length] != '\0'))
        entry = entry->next;
    return entry;
}

static bool grow(struct table *table)
{
    struct table larger = *table;

    larger.chain_count *= 2;
    larger.chains = alloc_hooks_tag(
        table->tag, calloc_noprof(larger.chain_count, sizeof *larger.chains));
    if (larger.chains == NULL)
        return false;
    for (size_t i = 0; i < table->chain_count; i++) {
        while (table->chains[i] != NULL) {
            struct entry *entry = table->chains[i];
            struct entry **chain = chain_of(&larger, entry->hash);

            table->chains[i] = entry->next;
            entry->next = *chain;
            *chain = entry;
        }
    }
    free(table->chains);
    *table = larger;
    return true;
}

void **table_at(struct table *table, const char *key, size_t length)
{
    struct entry *entry = find(table, key, length);
    struct entry **chain;

    if (entry != NULL)
        return &entry->value;
    if (table->entry_count == table->chain_count && !grow(table))
        return NULL;
    entry =
        alloc_hooks_tag(table->tag, malloc_noprof(sizeof *entry + length + 1));
    if (entry == NULL)
        return NULL;
    entry->value = NULL;
    entry->hash = hash_of(key, length);
    memcpy(entry->key, key, length);
    entry->key[length] = '\0';
    chain = chain_of(table, entry->hash);
    entry->next = *chain;
    *chain = entry;
    table->entry_count++;
    return &entry->value;
}

void **table_find(const struct table *table, const char *key)
{
    struct entry *entry = find(table, key, strlen(key));

    return entry == NULL ? NULL : &entry->value;
}

void table_delete(struct table *table, void (*end)(void *value))
{
    if (table == NULL)
        return;
    for (size_t i = 0; i < table->chain_count; i++) {
        while (table->chains[i] != NULL) {
            struct entry *entry = table->chains[i];

            table->chains[i] = entry->next;
            end(entry->value);
            free(entry);
        }
    }
    free(table->chains);
    free(table);
}
