/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.c - addresses to functions, files and lines
 *
 * Each module has a Dwfl of its own, and lies in it wherever that puts it: two
 * processes may have loaded different files at one address, and what a ledger
 * says of addresses need not be true. Places are addresses in the file, and are
 * moved by the bias that libdwfl chose.
 *
 * This file is long because a module passes through it from its file to names.
 */
#include "tool/symbols/symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/regular_file.h"
#include "tool/symbols/debug_info.h"
#include "tool/symbols/symbol_table.h"
#include "tool/tables/array.h"
#include "tool/tables/memory.h"

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
    struct debug_info *debug_info; /* NULL: there is none */
    enum symbols_lack lack;
    uint64_t changed_ns;
};

struct symbols {
    enum demangle_arguments arguments;
    enum symbols_network network;
    char *sysroot;       /* "" without one */
    char *debug_folders; /* where libdwfl looks for separate files */
    Dwfl_Callbacks callbacks;
    struct module *modules;
    size_t module_count;
    char **strings; /* what we hand out and own */
    size_t string_count;
};

static void set_search(struct symbols *symbols, const char *sysroot)
{
    size_t length;

    /* libdwfl looks for build-ids in absolute folders alone. */
    symbols->sysroot = sysroot == NULL ? NULL : realpath(sysroot, NULL);
    if (symbols->sysroot == NULL)
        symbols->sysroot = memory_text(sysroot == NULL ? "" : sysroot);
    length = strlen(symbols->sysroot);
    while (length > 0 && symbols->sysroot[length - 1] == '/')
        symbols->sysroot[--length] = '\0';
    symbols->debug_folders =
        memory_print(":.debug:%s/usr/lib/debug", symbols->sysroot);
    symbols->callbacks = (Dwfl_Callbacks){
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = &symbols->debug_folders,
    };
}

struct symbols *symbols_create(const struct symbols_search *search,
                               enum demangle_arguments arguments)
{
    static const struct symbols_search nowhere_else;
    struct symbols *symbols = memory_zeroed(1, sizeof *symbols);

    if (search == NULL)
        search = &nowhere_else;
    if (search->network == SYMBOLS_OFFLINE)
        unsetenv("DEBUGINFOD_URLS");
    symbols->arguments = arguments;
    symbols->network = search->network;
    set_search(symbols, search->sysroot);
    return symbols;
}

void symbols_destroy(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    for (size_t i = 0; i < symbols->module_count; i++) {
        struct module *module = &symbols->modules[i];

        symbol_table_destroy(module->table);
        debug_info_destroy(module->debug_info);
        dwfl_end(module->dwfl);
        free(module->path);
    }
    for (size_t i = 0; i < symbols->string_count; i++)
        free(symbols->strings[i]);
    free(symbols->modules);
    free(symbols->strings);
    free(symbols->sysroot);
    free(symbols->debug_folders);
    free(symbols);
}

int symbols_add_module(struct symbols *symbols,
                       const struct symbols_module *module)
{
    struct module added = { .build_id_size = module->build_id_size,
                            .path = memory_text(module->path) };

    if (added.build_id_size > sizeof added.build_id)
        added.build_id_size = sizeof added.build_id;
    if (added.build_id_size > 0)
        memcpy(added.build_id, module->build_id, added.build_id_size);
    ARRAY_ADD(symbols->modules, symbols->module_count, added);
    return (int)symbols->module_count - 1;
}

static int open_file(const char *path, uint64_t *changed_ns)
{
    struct stat status;
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);

    if (descriptor >= 0 && fstat(descriptor, &status) == 0)
        *changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
                      (uint64_t)status.st_mtim.tv_nsec;
    return descriptor;
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

/* `path` is where it lies here: debug files are looked for beside it. */
static bool report_file(struct module *module, const char *path, int descriptor)
{
    dwfl_report_begin(module->dwfl);
    module->dwfl_module = dwfl_report_elf(module->dwfl, module->path, path,
                                          descriptor, chosen_base, true);
    if (module->dwfl_module == NULL)
        close(descriptor); /* libdwfl takes it only if it succeeds */
    dwfl_report_end(module->dwfl, NULL, NULL);
    module->lack = SYMBOLS_LACK_SAME;
    if (module->dwfl_module == NULL || !has_same_build_id(module) ||
        dwfl_module_getelf(module->dwfl_module, &module->bias) == NULL)
        return false;
    module->lack = SYMBOLS_LACK_SYMBOLS; /* if a name is missing */
    module->table = symbol_table_create(module->dwfl_module);
    module->debug_info = debug_info_create(module->dwfl_module);
    return true;
}

static void try_file(struct symbols *symbols, struct module *module,
                     const char *path, int descriptor)
{
    if (descriptor < 0)
        return;
    module->dwfl = dwfl_begin(&symbols->callbacks);
    if (module->dwfl == NULL) {
        close(descriptor);
        return;
    }
    if (!report_file(module, path, descriptor)) {
        dwfl_end(module->dwfl);
        module->dwfl = NULL;
    }
}

typedef void *begin_fn(void);
typedef void end_fn(void *client);
typedef int find_fn(void *client, const unsigned char *build_id, int size,
                    char **path);

struct library {
    begin_fn *begin;
    end_fn *end;
    find_fn *find;
};

/* elfutils asks servers for debug information of its own accord, but for a file
   that is here. Its client library is used if it is installed: see
   debuginfod_find_executable(3). ISO C has no cast from an object to a
   function. */
static int find_symbol(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);

    memcpy(function, &found, sizeof found);
    return found == NULL ? -1 : 0;
}

/* Loaded once and kept. */
static const struct library *load(void)
{
    static struct library library;
    static void *handle;

    if (handle != NULL)
        return library.find == NULL ? NULL : &library;
    handle = dlopen("libdebuginfod.so.1", RTLD_NOW);
    if (handle == NULL ||
        find_symbol(handle, "debuginfod_begin", &library.begin) < 0 ||
        find_symbol(handle, "debuginfod_end", &library.end) < 0 ||
        find_symbol(handle, "debuginfod_find_executable", &library.find) < 0)
        return NULL;
    return &library;
}

/*
 * A descriptor of the file with that build-id, from one of the servers in
 * DEBUGINFOD_URLS or from what was kept of them; -1: none has it.
 */
static int open_from_debuginfod(const uint8_t *build_id, size_t size)
{
    const struct library *library = size == 0 ? NULL : load();
    void *client = library == NULL ? NULL : library->begin();
    int descriptor;

    if (client == NULL)
        return -1;
    descriptor = library->find(client, build_id, (int)size, NULL);
    library->end(client);
    return descriptor < 0 ? -1 : descriptor;
}

static void open_module(struct symbols *symbols, struct module *module)
{
    char *path = NULL;

    module->was_opened = true;
    module->lack = SYMBOLS_LACK_FILE;
    if (module->path[0] == '/') {
        path = memory_print("%s%s", symbols->sysroot, module->path);
        try_file(symbols, module, path, open_file(path, &module->changed_ns));
        free(path);
    }
    if (module->dwfl == NULL && symbols->network == SYMBOLS_DEBUGINFOD) {
        enum symbols_lack lack = module->lack;

        try_file(symbols, module, module->path,
                 open_from_debuginfod(module->build_id, module->build_id_size));
        if (module->dwfl == NULL)
            module->lack = lack;
    }
}

/* Keep `string` until the end and return it; NULL of an empty name, which is
   none. */
static const char *keep(struct symbols *symbols, char *string)
{
    if (string[0] == '\0') {
        free(string);
        return NULL;
    }
    ARRAY_ADD(symbols->strings, symbols->string_count, string);
    return string;
}

/*
 * C++ and Rust need the linkage name, which has the scope and the arguments;
 * the one that C has says how libraries version their functions.
 */
static const char *name_of_function(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) != NULL)
        name = dwarf_formstring(&attribute);
    return name != NULL && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')
               ? name
               : dwarf_diename(function);
}

/* Strings of libdw live as long as the module. */
static void find_line(Dwarf_Die *unit, Dwarf_Addr address,
                      struct symbol *symbol)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, address);
    const char *file = line == NULL ? NULL : dwarf_linesrc(line, NULL, NULL);
    int number = 0;

    if (file == NULL || dwarf_lineno(line, &number) != 0 || number <= 0)
        return;
    symbol->file = file;
    symbol->line = (unsigned)number;
}

/* Where an inlined function was called from. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined,
                      struct symbol *symbol)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute),
                        &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute),
                        &line) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return;
    symbol->file = dwarf_filesrc(files, file, NULL, NULL);
    symbol->line = symbol->file == NULL ? 0 : (unsigned)line;
}

static const char *name_match(struct symbols *symbols,
                              const struct symbol_match *match)
{
    char *name = demangle(match->name, symbols->arguments);
    char *longer;

    if (name[0] == '\0' || match->is_certain || match->distance == 0)
        return keep(symbols, name);
    longer =
        memory_print("%s+0x%llx", name, (unsigned long long)match->distance);
    free(name);
    return keep(symbols, longer);
}

/* With -gsplit-dwarf what a unit says of its functions lies in a file of its
   own, if that is still there. */
static Dwarf_Die unit_of_functions(Dwarf_Die *unit)
{
    Dwarf_Die split;
    uint8_t type;

    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) ==
            0 &&
        type == DW_UT_skeleton && split.cu != NULL)
        return split;
    return *unit;
}

/* All that was inlined at the address, innermost first; the function that it
   was inlined into comes behind it, without a name yet. */
static size_t find_inlined(struct symbols *symbols, struct module *module,
                           Dwarf_Die *whole, Dwarf_Addr address,
                           struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    Dwarf_Die unit = unit_of_functions(whole);
    Dwarf_Die scopes[SCOPE_DEPTH_LIMIT];
    size_t depth =
        debug_info_find_scopes(module->debug_info, &unit, address, scopes);
    size_t count = 0;

    for (; depth > 1 && count < SYMBOLS_CHAIN_LIMIT - 1; depth--) {
        const char *name = name_of_function(&scopes[depth - 1]);

        if (name != NULL)
            chain[count].function =
                keep(symbols, demangle(name, symbols->arguments));
        chain[++count] = (struct symbol){ 0 };
        find_call(&unit, &scopes[depth - 1], &chain[count]);
    }
    return count;
}

static void name_function(struct symbols *symbols, struct module *module,
                          GElf_Addr address, struct symbol *symbol)
{
    struct symbol_match match;

    if (symbol_table_find(module->table, address, &match))
        symbol->function = name_match(symbols, &match);
    else if (symbol_table_is_linkage(module->table, address))
        symbol->function = keep(symbols, memory_text("[plt]"));
}

static size_t find_chain(struct symbols *symbols, int module_number,
                         uint64_t place,
                         struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    struct module *module = &symbols->modules[module_number];
    GElf_Addr address;
    Dwarf_Die unit;
    Dwarf_Addr bias = 0;
    size_t inlined = 0;

    chain[0] = (struct symbol){ 0 };
    if (!module->was_opened)
        open_module(symbols, module);
    if (module->dwfl == NULL)
        return 0;

    /* The call is before the address that it returns to, which may even belong
       to the next function. */
    address = place - 1 + module->bias;
    if (module->debug_info != NULL &&
        debug_info_find_unit(module->debug_info, address, &unit, &bias)) {
        find_line(&unit, address - bias, &chain[0]);
        inlined = find_inlined(symbols, module, &unit, address - bias, chain);
    }
    name_function(symbols, module, address, &chain[inlined]);
    if (inlined == 0 && chain[0].function == NULL && chain[0].file == NULL)
        return 0;
    return inlined + 1;
}

/* A module's file says which files libdw opens next. */
size_t symbols_find_chain(struct symbols *symbols, int module, uint64_t place,
                          struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    const struct memory_use *outer = memory_use(&memory_for_names);
    size_t count;

    regular_file_only(true);
    count = find_chain(symbols, module, place, chain);
    memory_use(outer);
    regular_file_only(false);
    return count;
}

bool symbols_find(struct symbols *symbols, int module, uint64_t place,
                  struct symbol *symbol)
{
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];
    size_t count = symbols_find_chain(symbols, module, place, chain);

    *symbol = chain[0];
    return count > 0;
}

enum symbols_lack symbols_lack(const struct symbols *symbols, int module)
{
    return symbols->modules[module].lack;
}

bool symbols_lacks_caller(const struct symbols *symbols, int number,
                          uint64_t place)
{
    const struct module *module = &symbols->modules[number];
    Dwarf_Addr bias = 0;
    Dwarf_Frame *frame = NULL;
    const struct memory_use *outer;
    Dwarf_CFI *table;
    bool is_there;

    if (module->dwfl == NULL)
        return false;
    outer = memory_use(&memory_for_names);
    table = dwfl_module_eh_cfi(module->dwfl_module, &bias);
    is_there = table != NULL &&
               dwarf_cfi_addrframe(table, place - 1 + module->bias - bias,
                                   &frame) == 0;
    memory_use(outer);
    free(frame);
    return !is_there;
}

uint64_t symbols_changed_ns(const struct symbols *symbols, int number)
{
    const struct module *module = &symbols->modules[number];

    return module->dwfl == NULL || module->build_id_size != 0 ||
                   symbols->sysroot[0] != '\0'
               ? 0
               : module->changed_ns;
}
