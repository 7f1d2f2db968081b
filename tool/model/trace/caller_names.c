/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caller_names.c - the functions that callers in a trace lie in
 *
 * Without memory for more a name is looked up and not kept.
 */
#include "tool/model/trace/caller_names.h"

#include <stdlib.h>

#include "tool/symbols/symbols.h"
#include "tool/tables/array.h"
#include "tool/tables/index_table.h"

struct known_caller {
    uint64_t caller;
    const char *name;
};

struct caller_names {
    const struct caller_modules *modules;
    struct symbols *symbols;
    struct index_table table;
    struct known_caller *known;
    size_t count;
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
    index_table_free(&names->table);
    free(names->known);
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

static bool is_caller(const void *array, uint32_t index, const void *caller)
{
    const struct known_caller *known = array;

    return known[index].caller == *(const uint64_t *)caller;
}

const char *caller_names_find(struct caller_names *names, uint64_t caller)
{
    struct known_caller *known;
    struct index_slot *slot;

    if (names->modules->count == 0)
        return NULL;
    if (index_table_reserve(&names->table) < 0)
        return look_up(names, caller);
    slot = index_table_find(&names->table, index_hash_one(caller), is_caller,
                            names->known, &caller);
    if (slot->is_used)
        return names->known[slot->index].name;
    known = array_grow(names->known, names->count, sizeof *known);
    if (known == NULL)
        return look_up(names, caller);
    names->known = known;
    known[names->count] =
        (struct known_caller){ caller, look_up(names, caller) };
    index_table_take(&names->table, slot, names->count++);
    return known[slot->index].name;
}
