/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.c - addresses to functions, files and lines
 *
 * Each module has a Dwfl of its own, and lies in it wherever that puts it: two
 * processes may have loaded different files at one address, and what a ledger
 * says of addresses need not be true. Places are addresses in the file, and are
 * moved by the bias that libdwfl chose.
 */
#include "tool/symbols/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/symbols/symbol_table.h"
#include "tool/symbols/unit_table.h"

/* Where modules go in their own Dwfl; any page that is not the first. */
static const GElf_Addr chosen_base = 0x10000000;

struct module {
    char *path;
    uint8_t build_id[64];
    size_t build_id_size;
    bool was_opened;
    Dwfl *dwfl; /* NULL: not on disk, or another file */
    Dwfl_Module *dwfl_module;
    GElf_Addr bias;
    struct symbol_table *table;
    bool has_debug_info;
    struct unit_table *units; /* NULL until .debug_aranges did not do */
};

struct symbols {
    enum demangle_arguments arguments;
    struct module *modules;
    size_t module_count;
    char **strings; /* what we hand out and own */
    size_t string_count;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct symbols *symbols_create(enum symbols_network network,
                               enum demangle_arguments arguments)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);

    if (network == SYMBOLS_OFFLINE)
        unsetenv("DEBUGINFOD_URLS");
    if (symbols != NULL)
        symbols->arguments = arguments;
    return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->module_count; i++) {
        struct module *module = &symbols->modules[i];

        symbol_table_destroy(module->table);
        unit_table_destroy(module->units);
        dwfl_end(module->dwfl);
        free(module->path);
    }
    for (size_t i = 0; i < symbols->string_count; i++)
        free(symbols->strings[i]);
    free(symbols->modules);
    free(symbols->strings);
    free(symbols);
}

static void *grow(void *array, size_t count, size_t item_size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return reallocarray(array, count == 0 ? 1 : count * 2, item_size);
}

int symbols_add_module(struct symbols *symbols,
                       const struct symbols_module *module)
{
    struct module *modules =
        grow(symbols->modules, symbols->module_count, sizeof *modules);
    struct module added = { .build_id_size = module->build_id_size };

    if (modules == NULL)
        return -1;
    symbols->modules = modules;
    if (added.build_id_size > sizeof added.build_id)
        added.build_id_size = sizeof added.build_id;
    if (added.build_id_size > 0)
        memcpy(added.build_id, module->build_id, added.build_id_size);
    added.path = strdup(module->path);
    if (added.path == NULL)
        return -1;
    modules[symbols->module_count] = added;
    return (int)symbols->module_count++;
}

/* A path comes from a ledger: it may name a terminal, or a pipe that waits. */
static int open_regular_file(const char *path)
{
    struct stat status;
    int descriptor;

    if (path[0] != '/')
        return -1;
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    close(descriptor);
    return -1;
}

static bool has_same_build_id(const struct module *module)
{
    const unsigned char *build_id = NULL;
    GElf_Addr where;
    int size = dwfl_module_build_id(module->dwfl_module, &build_id, &where);

    if (size <= 0)
        return module->build_id_size == 0;
    return (size_t)size == module->build_id_size &&
           memcmp(build_id, module->build_id, (size_t)size) == 0;
}

static bool report_file(struct module *module, int descriptor)
{
    Dwarf_Addr bias;

    dwfl_report_begin(module->dwfl);
    module->dwfl_module =
        dwfl_report_elf(module->dwfl, module->path, module->path, descriptor,
                        chosen_base, true);
    if (module->dwfl_module == NULL)
        close(descriptor); /* libdwfl takes it only if it succeeds */
    dwfl_report_end(module->dwfl, NULL, NULL);
    if (module->dwfl_module == NULL || !has_same_build_id(module) ||
        dwfl_module_getelf(module->dwfl_module, &module->bias) == NULL)
        return false;
    module->table = symbol_table_create(module->dwfl_module);
    module->has_debug_info =
        dwfl_module_getdwarf(module->dwfl_module, &bias) != NULL;
    return module->table != NULL;
}

static void open_module(struct module *module)
{
    int descriptor = open_regular_file(module->path);

    module->was_opened = true;
    if (descriptor < 0)
        return;
    module->dwfl = dwfl_begin(&callbacks);
    if (module->dwfl == NULL) {
        close(descriptor);
        return;
    }
    if (!report_file(module, descriptor)) {
        dwfl_end(module->dwfl);
        module->dwfl = NULL;
    }
}

/* Keep `string` until the end and return it; NULL without memory. */
static const char *keep(struct symbols *symbols, char *string)
{
    char **strings =
        grow(symbols->strings, symbols->string_count, sizeof *strings);

    if (strings == NULL || string == NULL) {
        if (strings != NULL)
            symbols->strings = strings;
        free(string);
        return NULL;
    }
    symbols->strings = strings;
    strings[symbols->string_count++] = string;
    return string;
}

static bool find_unit(struct module *module, GElf_Addr address, Dwarf_Die *unit,
                      Dwarf_Addr *bias)
{
    Dwarf_Die *found = dwfl_module_addrdie(module->dwfl_module, address, bias);

    if (found != NULL) {
        *unit = *found;
        return true;
    }
    if (module->units == NULL)
        module->units = unit_table_create(module->dwfl_module);
    return module->units != NULL &&
           dwfl_module_getdwarf(module->dwfl_module, bias) != NULL &&
           unit_table_find(module->units, address - *bias, unit);
}

/*
 * C++ needs the linkage name, which has the scope and the arguments; the one
 * that C has says how libraries version their functions.
 */
static const char *name_of_function(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) != NULL)
        name = dwarf_formstring(&attribute);
    return name != NULL && name[0] == '_' && name[1] == 'Z'
               ? name
               : dwarf_diename(function);
}

/* The function that the compiler inlined at the address, innermost; or NULL. */
static const char *find_inlined(Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scopes = NULL;
    int count = dwarf_getscopes(unit, address, &scopes);
    const char *name = NULL;

    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_subprogram)
            break;
        if (tag == DW_TAG_inlined_subroutine) {
            name = name_of_function(&scopes[i]);
            break;
        }
    }
    if (count > 0)
        free(scopes);
    return name;
}

static void find_line(struct symbols *symbols, Dwarf_Die *unit,
                      Dwarf_Addr address, struct symbol *symbol)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    const char *file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    int number = 0;

    if (file == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    symbol->file = keep(symbols, strdup(file));
    symbol->line = symbol->file == NULL ? 0 : (unsigned)number;
}

static const char *name_match(struct symbols *symbols,
                              const struct symbol_match *match)
{
    char *name = demangle(match->name, symbols->arguments);
    char *longer = NULL;

    if (name == NULL || match->is_certain)
        return keep(symbols, name);
    if (asprintf(&longer, "%s+0x%llx", name,
                 (unsigned long long)match->distance) < 0)
        longer = NULL;
    free(name);
    return keep(symbols, longer);
}

bool symbols_find(struct symbols *symbols, int module_number, uint64_t place,
                  struct symbol *symbol)
{
    struct module *module = &symbols->modules[module_number];
    struct symbol_match match;
    GElf_Addr address;
    Dwarf_Die unit;
    Dwarf_Addr bias = 0;
    const char *inlined = NULL;

    *symbol = (struct symbol){ 0 };
    if (!module->was_opened)
        open_module(module);
    if (module->dwfl == NULL)
        return false;

    /* The call is before the address that it returns to, which may even belong
       to the next function. */
    address = place - 1 + module->bias;
    if (module->has_debug_info && find_unit(module, address, &unit, &bias)) {
        find_line(symbols, &unit, address - bias, symbol);
        inlined = find_inlined(&unit, address - bias);
    }
    if (inlined != NULL)
        symbol->function = keep(symbols, demangle(inlined, symbols->arguments));
    else if (symbol_table_find(module->table, address, &match))
        symbol->function = name_match(symbols, &match);
    else if (symbol_table_is_linkage(module->table, address))
        symbol->function = keep(symbols, strdup("[plt]"));
    return symbol->function != NULL || symbol->file != NULL;
}
