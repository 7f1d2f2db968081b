/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_modules.c - the modules of a ledger, added to a profile when needed
 */
#include "tool/model/sources/load_modules.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_LOOKED_UP = UINT32_MAX - 1 };

char *load_text(struct ledger_text_view text)
{
    return text.length == 0 ? strdup("")
                            : strndup((const char *)text.bytes, text.length);
}

void loaded_modules_free(struct loaded_modules *modules)
{
    free(modules->modules);
    modules->modules = NULL;
}

static bool is_program(const struct profile *profile, const char *path)
{
    return strcmp(path, profile->images[profile->image_count - 1].program) == 0;
}

static int load_module(struct loaded_modules *modules, uint32_t index,
                       struct loaded_module *loaded)
{
    struct ledger_module_view view;
    struct profile_module module = { 0 };
    int error = ledger_reader_module(modules->reader, index, &view);

    *loaded = (struct loaded_module){ .module = PROFILE_NO_MODULE };
    if (error <= 0)
        return error;
    module.path = load_text(view.path);
    if (module.path == NULL)
        return PROFILE_E_NO_MEMORY;
    module.build_id_size = view.build_id_size;
    memcpy(module.build_id, view.build_id, view.build_id_size);
    module.bias = view.bias;
    module.size = view.end - view.start;
    module.start = view.start;
    module.is_executable = is_program(modules->profile, module.path);
    loaded->bias = view.bias;
    loaded->is_unloaded = view.state == LEDGER_MODULE_UNLOADED;
    error = profile_add_module(modules->profile, &module, &loaded->module);
    free(module.path);
    return error;
}

static int make_room(struct loaded_modules *modules, uint32_t index)
{
    uint32_t limit = ledger_reader_module_limit(modules->reader);
    struct loaded_module *longer;

    if (index < modules->limit)
        return 0;
    if (limit <= index) /* it moved backwards: not a ledger's behaviour */
        limit = index + 1;
    longer = reallocarray(modules->modules, limit, sizeof *longer);
    if (longer == NULL)
        return PROFILE_E_NO_MEMORY;
    for (uint32_t i = modules->limit; i < limit; i++)
        longer[i].module = NOT_LOOKED_UP;
    modules->modules = longer;
    modules->limit = limit;
    return 0;
}

int loaded_modules_find(struct loaded_modules *modules, uint32_t index,
                        const struct loaded_module **found)
{
    struct loaded_module *loaded;
    int error = make_room(modules, index);

    if (error < 0)
        return error;
    loaded = &modules->modules[index];
    if (loaded->module == NOT_LOOKED_UP)
        error = load_module(modules, index, loaded);
    *found = loaded;
    return error;
}

int loaded_modules_find_at(struct loaded_modules *modules, uint64_t address,
                           const struct loaded_module **found)
{
    static const struct loaded_module none = { .module = PROFILE_NO_MODULE };
    uint32_t limit = ledger_reader_module_limit(modules->reader);

    for (uint32_t i = 0; i < limit; i++) {
        struct ledger_module_view view;
        int error = ledger_reader_module(modules->reader, i, &view);

        if (error < 0)
            return error;
        if (error > 0 && view.state != LEDGER_MODULE_UNLOADED &&
            address >= view.start && address < view.end)
            return loaded_modules_find(modules, i, found);
    }
    *found = &none;
    return 0;
}
