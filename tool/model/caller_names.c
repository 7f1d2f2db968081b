/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_names.c - the functions that callers in a trace lie in
 *
 * An open table at most half full. Without memory for more a name is looked up
 * and not kept.
 */
#include "tool/model/caller_names.h"

#include <stdlib.h>

#include "tool/symbols/symbols.h"

enum { FIRST_TABLE_SIZE = 256 };

struct known_caller {
    bool is_taken;
    uint64_t caller;
    const char *name;
};

struct caller_names {
    const struct caller_modules *modules;
    struct symbols *symbols;
    struct known_caller *table;
    size_t table_size, count;
};

static int add_modules(struct caller_names *names)
{
    for (size_t i = 0; i < names->modules->count; i++) {
        const struct caller_module *module = &names->modules->items[i];
        const struct symbols_module description = {
            .path = module->path,
            .build_id = module->identity.build_id,
            .build_id_size = module->identity.build_id_size,
        };

        /* Numbers are given in order, so that they are ours. */
        if (symbols_add_module(names->symbols, &description) < 0)
            return -1;
    }
    return 0;
}

struct caller_names *caller_names_open(const struct caller_modules *modules)
{
    struct caller_names *names = calloc(1, sizeof *names);

    if (names == NULL)
        return NULL;
    names->modules = modules;
    names->symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
    if (names->symbols != NULL && add_modules(names) == 0)
        return names;
    caller_names_close(names);
    return NULL;
}

void caller_names_close(struct caller_names *names)
{
    if (names == NULL)
        return;
    symbols_destroy(names->symbols);
    free(names->table);
    free(names);
}

static const char *look_up(struct caller_names *names, uint64_t caller)
{
    struct symbol symbol;
    uint64_t place;
    int module = caller_modules_find(names->modules, caller, &place);

    if (module < 0 || !symbols_find(names->symbols, module, place, &symbol))
        return NULL;
    return symbol.function;
}

static struct known_caller *find_entry(struct known_caller *table, size_t size,
                                       uint64_t caller)
{
    uint64_t hash = caller * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(hash ^ hash >> 32) & (size - 1);

    while (table[at].is_taken && table[at].caller != caller)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static bool grow_table(struct caller_names *names)
{
    size_t size =
        names->table_size == 0 ? FIRST_TABLE_SIZE : names->table_size * 2;
    struct known_caller *table;

    if (names->count < names->table_size / 2)
        return true;
    table = calloc(size, sizeof *table);
    if (table == NULL)
        return false;
    for (size_t i = 0; i < names->table_size; i++) {
        const struct known_caller *known = &names->table[i];

        if (known->is_taken)
            *find_entry(table, size, known->caller) = *known;
    }
    free(names->table);
    names->table = table;
    names->table_size = size;
    return true;
}

const char *caller_names_find(struct caller_names *names, uint64_t caller)
{
    struct known_caller *entry;

    if (names->modules->count == 0)
        return NULL;
    if (!grow_table(names))
        return look_up(names, caller);
    entry = find_entry(names->table, names->table_size, caller);
    if (!entry->is_taken) {
        *entry = (struct known_caller){ .is_taken = true,
                                        .caller = caller,
                                        .name = look_up(names, caller) };
        names->count++;
    }
    return entry->name;
}
