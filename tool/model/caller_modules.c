/* SPDX-License-Identifier: Apache-2.0 */
/* caller_modules.c - see caller_modules.h */
#include "tool/model/caller_modules.h"

#include <stdlib.h>

static int no_memory(struct source_failure *failure)
{
    return source_fail(failure, "there is not enough memory to load it",
                       "free some and try again");
}

static int identify(struct caller_module *module, const char *path,
                    const uint64_t *load_address,
                    struct source_failure *failure)
{
    const char *why;

    if (elf_identity_read(path, &module->identity, &why) < 0)
        return source_fail(failure, why, "name the program's file with --elf");
    if (!module->identity.is_fixed && load_address == NULL)
        return source_fail(failure,
                           "it may have been loaded at any address, and the "
                           "trace does not say at which",
                           "give it with --load-address=ADDRESS");
    if (load_address != NULL)
        module->bias = *load_address;
    module->path = realpath(path, NULL);
    return module->path == NULL ? no_memory(failure) : 0;
}

int caller_modules_add(struct caller_modules *modules, const char *path,
                       const uint64_t *load_address,
                       struct source_failure *failure)
{
    struct caller_module module = { .is_executable = true };
    struct caller_module *items =
        reallocarray(modules->items, modules->count + 1, sizeof *items);

    if (items == NULL)
        return no_memory(failure);
    modules->items = items;
    if (identify(&module, path, load_address, failure) < 0)
        return -1;
    items[modules->count++] = module;
    return 0;
}

int caller_modules_find(const struct caller_modules *modules, uint64_t caller,
                        uint64_t *place)
{
    for (size_t i = 0; i < modules->count; i++) {
        const struct elf_identity *identity = &modules->items[i].identity;
        uint64_t address = caller - modules->items[i].bias;

        if (identity->has_thumb)
            address &= ~UINT64_C(1);
        if (address > identity->low && address <= identity->high) {
            *place = address;
            return (int)i;
        }
    }
    return -1;
}

void caller_modules_close(struct caller_modules *modules)
{
    for (size_t i = 0; i < modules->count; i++)
        free(modules->items[i].path);
    free(modules->items);
    *modules = (struct caller_modules){ 0 };
}
