/* SPDX-License-Identifier: Apache-2.0 */
/* region_names.c - see region_names.h */
#include "tool/model/names/region_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/symbols/elf_identity.h"
#include "tool/symbols/object_names.h"
#include "tool/tables/memory.h"

/* The last file that was asked; regions of one file mostly come together. */
struct file {
    uint32_t module; /* index in the profile */
    struct object_names *names;
};

static bool is_same(const struct profile_module *module, const char *path)
{
    struct elf_identity identity;
    const char *why;

    return elf_identity_read(path, &identity, &why) == 0 &&
           identity.build_id_size == module->build_id_size &&
           memcmp(identity.build_id, module->build_id, module->build_id_size) ==
               0;
}

/* A file that is not there has no names. */
static void open_file(struct file *file, const struct profile *profile,
                      uint32_t module, const char *sysroot)
{
    const struct profile_module *wanted = &profile->modules[module];
    const char *why;
    char *path;

    if (file->module == module)
        return;
    object_names_close(file->names);
    *file = (struct file){ .module = module };
    path = memory_print("%s%s", sysroot == NULL ? "" : sysroot, wanted->path);
    if (is_same(wanted, path))
        file->names = object_names_open(path, &why);
    free(path);
}

static void name_region(struct file *file, const struct profile *profile,
                        struct profile_region *region, const char *sysroot)
{
    struct object_name object;

    open_file(file, profile, region->module, sysroot);
    if (file->names == NULL ||
        !object_names_find(
            file->names,
            region->address - profile->modules[region->module].bias, &object))
        return;
    free(region->name);
    region->name = object_name_text(&object);
}

void region_names_find(struct profile *profile, const char *sysroot)
{
    struct file file = { .module = PROFILE_NO_MODULE };

    for (size_t i = 0; i < profile->region_count; i++) {
        struct profile_region *region = &profile->regions[i];

        if (region->name[0] == '\0' && region->module != PROFILE_NO_MODULE)
            name_region(&file, profile, region, sysroot);
    }
    object_names_close(file.names);
}
