/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_names.c - names of the sites of a profile
 *
 * Only this file connects model and symbols. Labels need no symbols.
 */
#include "tool/model/names/names.h"

#include <inttypes.h>

static const char unknown[] = "unknown";

size_t site_names_chain(struct symbols *symbols, const struct profile *profile,
                        const struct profile_place *place,
                        struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    const struct given_place *given =
        given_names_find(&profile->given, place->module, place->address);

    if (given == NULL)
        return place->module == PROFILE_NO_MODULE
                   ? 0
                   : symbols_find_chain(symbols, (int)place->module,
                                        place->address, chain);
    memcpy(chain, given->chain, given->count * sizeof *chain);
    return given->count;
}

const char *site_names_without_module(const struct profile *profile)
{
    return profile->module_count == 0 ||
                   (profile->calls != NULL && !profile->calls->knows_files)
               ? NULL
           : profile->counts[LEDGER_COUNT_lost_modules] != 0
               ? "[unrecorded module]"
               : "[generated code]";
}

static struct site_name name_site(struct symbols *symbols,
                                  const struct profile *profile,
                                  const struct profile_site *site)
{
    const struct given_place *given =
        given_names_find(&profile->given, site->module, site->place);
    struct site_name name = { 0 };
    struct symbol symbol;

    if (site->label != NULL)
        return site_name_of_label(site->label);
    if (site->module == PROFILE_NO_MODULE)
        name.function = site_names_without_module(profile);
    else if (profile->modules[site->module].path[0] != '\0')
        name.module = profile->modules[site->module].path;
    if (given != NULL)
        symbol = given->chain[0];
    if (given != NULL ||
        (site->module != PROFILE_NO_MODULE &&
         symbols_find(symbols, (int)site->module, site->place, &symbol)))
        name = site_name_of(&symbol, name.module);
    return name;
}

/* Return false if the symbols are those of other modules. */
static bool keep_modules(struct symbols *symbols, const struct profile *profile)
{
    for (size_t i = 0; i < profile->module_count; i++) {
        const struct profile_module *module = &profile->modules[i];

        if (!symbols_keep_module(symbols, i, module->path, module->build_id,
                                 module->build_id_size))
            return false;
    }
    return true;
}

struct symbols *site_names_symbols(const struct profile *profile,
                                   const struct symbols_search *search,
                                   enum demangle_arguments arguments)
{
    struct symbols *none = NULL;
    struct symbols **kept =
        search == NULL || search->kept == NULL ? &none : search->kept;

    if (*kept == NULL || !keep_modules(*kept, profile)) {
        symbols_destroy(*kept);
        *kept = symbols_create(search, arguments);
        keep_modules(*kept, profile);
    }
    return *kept;
}

static void symbols_end(void *symbols)
{
    symbols_destroy(symbols);
}

struct site_names *site_names_create(const struct profile *profile,
                                     const struct symbols_search *search,
                                     enum demangle_arguments arguments)
{
    struct site_names *names = arena_zeroed(profile->arena, 1, sizeof *names);

    names->sites = arena_zeroed(profile->arena, profile->caller_count + 1,
                                sizeof *names->sites);
    names->symbols = site_names_symbols(profile, search, arguments);
    if (search == NULL || search->kept == NULL)
        arena_at_end(profile->arena, symbols_end, names->symbols);
    for (size_t i = 0; i < profile->caller_count; i++) {
        names->sites[i] =
            name_site(names->symbols, profile, &profile->callers[i]);
        if (names->sites[i].function == NULL)
            names->unresolved++;
    }
    return names;
}

char *site_label(const struct profile_site *site, const struct site_name *name)
{
    return name->function != NULL
               ? memory_text(name->function)
               : memory_print("%s+%s",
                              name->module == NULL ? unknown
                                                   : base_name(name->module),
                              ADDRESS(site->place));
}

const char *site_file(const struct site_name *name)
{
    return name->file != NULL     ? name->file
           : name->module != NULL ? name->module
                                  : unknown;
}

const char *site_module(const struct profile *profile,
                        const struct profile_site *site,
                        const struct site_name *name)
{
    bool is_built_in = site->label != NULL
                           ? site->label->module == NULL
                           : site->module == PROFILE_NO_MODULE ||
                                 profile->modules[site->module].is_executable;

    return is_built_in            ? NULL
           : name->module == NULL ? unknown
                                  : base_name(name->module);
}

/* Return the end of the last process; UINT64_MAX if one was running. */
static uint64_t end_of(const struct profile *profile)
{
    uint64_t end = 0;

    for (size_t i = 0; i < profile->image_count; i++) {
        if (profile->images[i].end_ns == 0)
            return UINT64_MAX;
        if (profile->images[i].end_ns > end)
            end = profile->images[i].end_ns;
    }
    return end == 0 ? UINT64_MAX : end;
}

bool site_names_may_be_wrong(const struct site_names *names,
                             const struct profile *profile, size_t module)
{
    return symbols_changed_ns(names->symbols, (int)module) > end_of(profile);
}

char *site_line(const char *file, uint64_t line)
{
    return line == 0 ? memory_text(file)
                     : memory_print("%s:%" PRIu64, file, line);
}

/* The last file that was used: regions of one file mostly come together. */
struct file {
    uint32_t module; /* index in the profile */
    struct object_names *names;
};

static void open_file(struct file *file, const struct profile *profile,
                      uint32_t module, const char *sysroot)
{
    const struct profile_module *wanted = &profile->modules[module];
    struct elf_identity identity;
    const char *why;
    OWNED char *path = NULL;

    if (file->module == module)
        return;
    object_names_close(file->names);
    *file = (struct file){ .module = module };
    path = memory_print("%s%s", sysroot == NULL ? "" : sysroot, wanted->path);
    if (elf_identity_read(path, &identity, &why) == 0 &&
        identity.build_id_size == wanted->build_id_size &&
        memcmp(identity.build_id, wanted->build_id, wanted->build_id_size) == 0)
        file->names = object_names_open(path, &why);
}

static void name_region(struct file *file, const struct profile *profile,
                        struct profile_region *region, const char *sysroot)
{
    struct object_name object;
    OWNED char *name = NULL;

    open_file(file, profile, region->module, sysroot);
    if (file->names == NULL ||
        !object_names_find(file->names,
                           region->seen.address -
                               profile->modules[region->module].bias,
                           &object))
        return;
    name = demangle_at(object.name, object.offset, DEMANGLE_WITH_ARGUMENTS);
    region->name = arena_text(profile->arena, name);
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
