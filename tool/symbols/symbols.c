/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbols.c - turn addresses into functions, files and lines
 *
 * Each module has its own Dwfl, at an address chosen here: two processes may
 * have loaded different files at one address, and a ledger's addresses are not
 * trusted. Places are addresses in the file; libdwfl's bias is added.
 *
 * This file is long because it takes a module from its file and debug
 * information to names.
 */
#include "tool/symbols/lookup.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/files/files.h"

enum {
    NESTING_LIMIT = 64, /* of namespaces and classes, and of blocks */
    SCOPE_DEPTH_LIMIT = 64,
    INTERFACE_FUNCTIONS = 100,
};

/*
 * Tables of units and functions by address. libdwfl finds units by
 * .debug_aranges, which clang does not write. libdw walks a whole unit for
 * every address, a unit may have thousands of functions, and a report asks for
 * thousands of addresses. So both tables are built when they are first needed,
 * with a row for each range, sorted by start. Code ranges of a linked file do
 * not overlap: the last one that starts before an address decides.
 */
struct die_range {
    Dwarf_Addr start;
    Dwarf_Addr end;
    Dwarf_Die die;
};

struct die_ranges {
    struct arena *arena;
    struct die_range *items;
    size_t count;
};

struct unit_functions {
    const void *unit; /* address of its DIE, which identifies it in libdw */
    struct die_ranges functions;
};

struct debug_info {
    struct arena *arena;
    Dwfl_Module *module;
    Dwarf *dwarf; /* NULL: none */
    Dwarf_Addr bias;
    bool has_units; /* .debug_aranges lacks units */
    struct die_ranges units;
    struct unit_functions *asked; /* functions of units that were asked for */
    size_t asked_count;
    size_t last; /* index of the last one */
};

static void add_ranges(struct die_ranges *ranges, Dwarf_Die *die)
{
    ptrdiff_t offset = 0;
    Dwarf_Addr base, start, end;

    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
        ARENA_ADD(ranges->arena, ranges->items, ranges->count,
                  (struct die_range){ start, end, *die });
}

static const struct die_range *find_range(const struct die_ranges *ranges,
                                          Dwarf_Addr address)
{
    size_t count = array_count_until(ranges->items, ranges->count,
                                     sizeof *ranges->items, address);

    return count > 0 && address < ranges->items[count - 1].end
               ? &ranges->items[count - 1]
               : NULL;
}

/* Find the unit of an address. libdwfl assigns the gap between two units to the
   first. */
static bool debug_info_find_unit(struct debug_info *info, Dwarf_Addr address,
                                 Dwarf_Die *unit)
{
    const struct die_range *range;
    Dwarf_Die *next = NULL;
    Dwarf_Addr bias;

    if (dwarf_addrdie(info->dwarf, address, unit) != NULL)
        return true;
    if (!info->has_units) {
        info->has_units = true;
        info->units.arena = info->arena;
        while ((next = dwfl_module_nextcu(info->module, next, &bias)) != NULL)
            add_ranges(&info->units, next);
        ARRAY_SORT(info->units.items, info->units.count, array_compare);
    }
    range = find_range(&info->units, address);
    if (range != NULL)
        *unit = range->die;
    return range != NULL;
}

static void add_children(struct die_ranges *functions, Dwarf_Die *parent,
                         unsigned nesting)
{
    Dwarf_Die die;

    if (nesting > NESTING_LIMIT || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);

        if (tag == DW_TAG_subprogram)
            add_ranges(functions, &die);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
                 tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
                 tag == DW_TAG_module)
            add_children(functions, &die, nesting + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static const struct die_ranges *functions_of(struct debug_info *info,
                                             Dwarf_Die *unit)
{
    struct unit_functions added = { .unit = unit->addr,
                                    .functions.arena = info->arena };

    if (info->last < info->asked_count &&
        info->asked[info->last].unit == unit->addr)
        return &info->asked[info->last].functions;
    for (info->last = 0; info->last < info->asked_count; info->last++) {
        if (info->asked[info->last].unit == unit->addr)
            return &info->asked[info->last].functions;
    }
    add_children(&added.functions, unit, 0);
    ARRAY_SORT(added.functions.items, added.functions.count, array_compare);
    ARENA_ADD(info->arena, info->asked, info->asked_count, added);
    return &info->asked[info->last].functions;
}

/* Step into the child that contains the address; return false if there is
   none. */
static bool step_in(Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die child;

    if (dwarf_child(die, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);

        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
            dwarf_haspc(&child, address) > 0) {
            *die = child;
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Find the function of `unit` at `address`, as the debug information counts,
   and behind it the inlined functions, outermost first. Return the count, or
   0. */
static size_t debug_info_find_scopes(struct debug_info *info, Dwarf_Die *unit,
                                     Dwarf_Addr address,
                                     Dwarf_Die scopes[SCOPE_DEPTH_LIMIT])
{
    const struct die_range *range =
        find_range(functions_of(info, unit), address);
    unsigned nesting = 0;
    size_t count = 0;
    Dwarf_Die die;

    if (range == NULL)
        return 0;
    scopes[count++] = die = range->die;
    while (nesting++ < 4 * NESTING_LIMIT && step_in(&die, address)) {
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
            count < SCOPE_DEPTH_LIMIT)
            scopes[count++] = die;
    }
    return count;
}

/* Base address of each module in its own Dwfl: any page but the first. */
static const GElf_Addr chosen_base = 0x10000000;

struct module {
    char *path;
    char *local_path;   /* with the sysroot; NULL until it is opened */
    const char *unread; /* first missing file with debug information, or NULL */
    uint8_t build_id[64];
    size_t build_id_size;
    bool was_opened;
    Dwfl *dwfl; /* NULL: not on disk, or a different file */
    Dwfl_Module *dwfl_module;
    GElf_Addr bias;
    struct symbol_table *table;
    struct debug_info debug_info;
    enum symbols_lack lack;
    bool has_interface;
    uint64_t changed_ns;
};

/* Cached answer: a refresh asks the same as the one before. */
struct answer {
    uint64_t place; /* key, with `module` */
    uint64_t module;
    size_t first; /* index in `found` */
    size_t count;
};

/* The names of a linkage name or an entry of debug information, by its address
   in memory. */
struct named_function {
    const void *key;
    const char *function, *short_name;
    bool is_standard;
};

/* All that open modules need but their Dwfl. */
struct open_names {
    struct arena *arena; /* NULL: no module is open */
    struct named_function *named;
    size_t named_count;
    struct index_table named_table;
    struct die_parents parents;
};

struct symbols {
    struct arena *arena; /* of all but these */
    struct open_names open;
    struct answer *answers;
    size_t answer_count;
    struct index_table answer_table;
    struct symbol *found;
    size_t found_count;
    enum demangle_arguments arguments;
    enum symbols_network network;
    char *sysroot;       /* "": none */
    char *debug_folders; /* search path of libdwfl for separate files */
    Dwfl_Callbacks callbacks;
    struct module *modules;
    size_t module_count;
    struct text_pool strings; /* strings handed out */
};

static void set_search(struct symbols *symbols, const char *sysroot)
{
    /* Absolute, for libdwfl; /proc/PID/root has no path of its own. */
    OWNED char *whole =
        sysroot != NULL && *sysroot != '/' ? realpath(sysroot, NULL) : NULL;

    symbols->sysroot = arena_text(symbols->arena, whole != NULL     ? whole
                                                  : sysroot != NULL ? sysroot
                                                                    : "");
    for (size_t i = strlen(symbols->sysroot);
         i > 0 && symbols->sysroot[i - 1] == '/'; i--)
        symbols->sysroot[i - 1] = '\0';
    symbols->debug_folders = arena_print(
        symbols->arena, ":.debug:%s/usr/lib/debug", symbols->sysroot);
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
    struct arena *arena = arena_create();
    struct symbols *symbols = arena_zeroed(arena, 1, sizeof *symbols);

    symbols->arena = symbols->strings.table.arena =
        symbols->answer_table.arena = arena;
    if (search == NULL)
        search = &nowhere_else;
    if (search->network == SYMBOLS_OFFLINE)
        unsetenv("DEBUGINFOD_URLS");
    symbols->arguments = arguments;
    symbols->network = search->network;
    set_search(symbols, search->sysroot);
    return symbols;
}

void symbols_rest(struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->module_count; i++) {
        struct module *module = &symbols->modules[i];

        dwfl_end(module->dwfl);
        module->table = NULL;
        module->debug_info = (struct debug_info){ 0 };
        module->was_opened = module->was_opened && module->dwfl == NULL;
        module->dwfl = NULL;
    }
    arena_destroy(symbols->open.arena);
    symbols->open = (struct open_names){ 0 };
}

void symbols_destroy(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    symbols_rest(symbols);
    arena_destroy(symbols->arena);
}

int symbols_add_module(struct symbols *symbols, const char *path,
                       const uint8_t *build_id, size_t size)
{
    struct module added = { .build_id_size = size,
                            .path = arena_text(symbols->arena, path) };

    if (added.build_id_size > sizeof added.build_id)
        added.build_id_size = sizeof added.build_id;
    if (added.build_id_size > 0)
        memcpy(added.build_id, build_id, added.build_id_size);
    ARENA_ADD(symbols->arena, symbols->modules, symbols->module_count, added);
    return (int)symbols->module_count - 1;
}

bool symbols_keep_module(struct symbols *symbols, size_t number,
                         const char *path, const uint8_t *build_id, size_t size)
{
    const struct module *module;

    if (number >= symbols->module_count)
        return symbols_add_module(symbols, path, build_id, size) >= 0;
    module = &symbols->modules[number];
    return strcmp(module->path, path) == 0 && module->build_id_size == size &&
           memcmp(module->build_id, build_id, size) == 0;
}

static int open_file(const char *path, uint64_t *changed_ns)
{
    struct stat status;
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);

    if (descriptor >= 0 && fstat(descriptor, &status) == 0)
        *changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
                      (uint64_t)status.st_mtim.tv_nsec;
    return debug_file_unpacked(descriptor);
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

/* Report the module's file. `path` is its local path, beside which debug files
   are looked for. */
static bool report_file(struct arena *arena, struct module *module,
                        const char *path, int descriptor)
{
    dwfl_report_begin(module->dwfl);
    module->dwfl_module = dwfl_report_elf(module->dwfl, module->path, path,
                                          descriptor, chosen_base, true);
    if (module->dwfl_module == NULL)
        close(descriptor); /* libdwfl owns it only on success */
    dwfl_report_end(module->dwfl, NULL, NULL);
    module->lack = SYMBOLS_LACK_SAME;
    if (module->dwfl_module == NULL || !has_same_build_id(module) ||
        dwfl_module_getelf(module->dwfl_module, &module->bias) == NULL)
        return false;
    module->lack = SYMBOLS_LACK_SYMBOLS; /* in case a name is missing */
    module->table = symbol_table_create(arena, module->dwfl_module);
    module->has_interface =
        symbol_table_count(module->table) >= INTERFACE_FUNCTIONS;
    module->debug_info.arena = arena;
    module->debug_info.module = module->dwfl_module;
    module->debug_info.dwarf =
        dwfl_module_getdwarf(module->dwfl_module, &module->debug_info.bias);
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
    if (symbols->network == SYMBOLS_DEBUGINFOD)
        debuginfod_watch(dwfl_get_debuginfod_client(module->dwfl));
    if (!report_file(symbols->open.arena, module, path, descriptor)) {
        dwfl_end(module->dwfl);
        module->dwfl = NULL;
    }
}

static void open_module(struct symbols *symbols, struct module *module)
{
    module->was_opened = true;
    module->lack = SYMBOLS_LACK_FILE;
    if (module->local_path == NULL)
        module->local_path =
            arena_print(symbols->arena, "%s%s", symbols->sysroot, module->path);
    if (symbols->open.arena == NULL)
        symbols->open.arena = symbols->open.named_table.arena =
            symbols->open.parents.table.arena = arena_create();
    if (module->path[0] == '/')
        try_file(symbols, module, module->local_path,
                 open_file(module->local_path, &module->changed_ns));
    if (module->dwfl == NULL && symbols->network == SYMBOLS_DEBUGINFOD) {
        enum symbols_lack lack = module->lack;

        try_file(symbols, module, module->path,
                 debuginfod_open(module->build_id, module->build_id_size));
        if (module->dwfl == NULL)
            module->lack = lack;
    }
}

/* Keep a copy of `string` until symbols_destroy(); return NULL for an empty
   name. */
static const char *keep_copy(struct symbols *symbols, const char *string)
{
    return text_pool_keep(&symbols->strings,
                          string != NULL && *string != '\0' ? string : NULL);
}

static const char *keep(struct symbols *symbols, char *string)
{
    const char *kept = keep_copy(symbols, string);

    free(string);
    return kept;
}

/* Set the names of a function by its linkage name or, if that is NULL, its
   declaration. Each is looked up once. */
static void set_names(struct symbols *symbols, const char *name,
                      Dwarf_Die *declaration, struct symbol *symbol)
{
    const struct named_function added = { .key = name != NULL
                                                     ? (const void *)name
                                                     : declaration->addr };
    struct open_names *open = &symbols->open;
    size_t known = open->named_count;
    uint32_t number =
        INDEX_ADD(&open->named_table, INDEX_KEY(struct named_function, key),
                  open->named, open->named_count, &added);
    struct named_function *named = &open->named[number];

    if (number == known) {
        struct function_name made =
            name != NULL ? demangle_function(name, symbols->arguments)
                         : die_function_name(&open->parents, declaration);

        named->function = keep(symbols, made.whole);
        named->short_name = keep(symbols, made.short_name);
        if (named->short_name == named->function)
            named->short_name = NULL;
        named->is_standard = made.is_standard;
    }
    symbol->function = named->function;
    symbol->short_name = named->short_name;
    symbol->is_standard = named->is_standard;
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

/* Find the line from which an inlined function was called. */
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

/* Return the tag of a function's return type or a pointer's target, with
   typedefs resolved; 0 for void. */
static int type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    unsigned nesting = 0;
    int tag;

    do {
        if (dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attribute),
                              type) == NULL)
            return 0;
        die = type;
        tag = dwarf_tag(type);
    } while ((tag == DW_TAG_typedef || tag == DW_TAG_volatile_type ||
              tag == DW_TAG_restrict_type) &&
             nesting++ < NESTING_LIMIT);
    return tag;
}

static bool returns_memory(Dwarf_Die *function)
{
    Dwarf_Die pointer, target;
    int tag;

    if (type_of(function, &pointer) != DW_TAG_pointer_type)
        return false;
    tag = type_of(&pointer, &target);
    return tag == 0 ||
           (tag == DW_TAG_base_type && dwarf_bytesize(&target) == 1);
}

/* Return the unit with the functions. With -gsplit-dwarf it lies in a file of
   its own; if that is missing, its unit is empty. */
static Dwarf_Die unit_of_functions(struct symbols *symbols,
                                   struct module *module, Dwarf_Die *unit)
{
    struct split_unit wanted = { .program = module->local_path };
    Dwarf_Die split = { 0 };
    Dwarf_Attribute name;
    uint8_t type;

    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, &wanted.id, NULL,
                      NULL) != 0 ||
        type != DW_UT_skeleton)
        return *unit;
    debug_files_look_for(&wanted);
    dwarf_cu_info(unit->cu, NULL, NULL, NULL, &split, NULL, NULL, NULL);
    debug_files_look_for(NULL);
    if (split.cu == NULL && module->unread == NULL &&
        (dwarf_attr(unit, DW_AT_dwo_name, &name) != NULL ||
         dwarf_attr(unit, DW_AT_GNU_dwo_name, &name) != NULL))
        module->unread = keep_copy(symbols, dwarf_formstring(&name));
    return split;
}

/* List the inlined functions at the address, innermost first, and behind them
   the containing function, without a name yet. */
static size_t find_inlined(struct symbols *symbols, struct module *module,
                           Dwarf_Die *whole, Dwarf_Addr address,
                           struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    Dwarf_Die unit = unit_of_functions(symbols, module, whole);
    Dwarf_Die scopes[SCOPE_DEPTH_LIMIT];
    size_t depth = unit.cu == NULL
                       ? 0
                       : debug_info_find_scopes(&module->debug_info, &unit,
                                                address, scopes);
    size_t count = 0;

    /* The line may be that of an inlined function, which is not known. */
    if (depth == 0 && unit.cu != whole->cu)
        chain[0] = (struct symbol){ 0 };

    for (; depth > 1 && count < SYMBOLS_CHAIN_LIMIT - 1; depth--) {
        Dwarf_Die declaration = die_declaration(scopes[depth - 1]);

        set_names(symbols, die_linkage_name(&scopes[depth - 1]), &declaration,
                  &chain[count]);
        chain[count].returns_memory = returns_memory(&scopes[depth - 1]);
        chain[++count] = (struct symbol){ 0 };
        find_call(&unit, &scopes[depth - 1], &chain[count]);
    }
    chain[count].returns_memory = depth == 1 && returns_memory(&scopes[0]);
    return count;
}

static void name_function(struct symbols *symbols, struct module *module,
                          GElf_Addr address, struct symbol *symbol)
{
    struct symbol_match match;
    bool is_found = symbol_table_find(module->table, address, &match);

    if (is_found && (match.is_certain || match.distance == 0))
        set_names(symbols, match.name, NULL, symbol);
    else if (is_found)
        symbol->function = keep(symbols, demangle_at(match.name, match.distance,
                                                     symbols->arguments));
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
    Dwarf_Addr at; /* as the debug information counts */
    size_t inlined = 0;

    chain[0] = (struct symbol){ 0 };
    if (!module->was_opened)
        open_module(symbols, module);
    if (module->dwfl == NULL)
        return 0;

    /* The call lies before its return address, which may even belong to the
       next function. */
    address = place - 1 + module->bias;
    at = address - module->debug_info.bias;
    if (module->debug_info.dwarf != NULL &&
        debug_info_find_unit(&module->debug_info, at, &unit)) {
        find_line(&unit, at, &chain[0]);
        inlined = find_inlined(symbols, module, &unit, at, chain);
    }
    name_function(symbols, module, address, &chain[inlined]);
    if (inlined == 0 && chain[0].function == NULL && chain[0].file == NULL)
        return 0;
    return inlined + 1;
}

/* A module's file names the files that libdw opens next, so only regular ones
   are opened. */
size_t symbols_find_chain(struct symbols *symbols, int module, uint64_t place,
                          struct symbol chain[SYMBOLS_CHAIN_LIMIT])
{
    struct answer answer = { place, (uint64_t)module, symbols->found_count, 0 };
    size_t known = symbols->answer_count;
    uint32_t number =
        INDEX_ADD(&symbols->answer_table, INDEX_KEY(struct answer, module),
                  symbols->answers, symbols->answer_count, &answer);
    const struct memory_use *outer;

    if (number == known) {
        outer = memory_use(&memory_for_names);
        debug_files_replace(true);
        answer.count = find_chain(symbols, module, place, chain);
        memory_use(outer);
        debug_files_replace(false);
        for (size_t i = 0; i < answer.count; i++) {
            chain[i].file = keep_copy(symbols, chain[i].file);
            ARENA_ADD(symbols->arena, symbols->found, symbols->found_count,
                      chain[i]);
        }
        symbols->answers[number] = answer;
        return answer.count;
    }
    answer = symbols->answers[number];
    chain[0] = (struct symbol){ 0 };
    for (size_t i = 0; i < answer.count; i++)
        chain[i] = symbols->found[answer.first + i];
    return answer.count;
}

bool symbols_find(struct symbols *symbols, int module, uint64_t place,
                  struct symbol *symbol)
{
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];
    size_t count = symbols_find_chain(symbols, module, place, chain);

    *symbol = chain[0];
    return count > 0;
}

static bool has_name(const struct symbols *symbols, Dwfl_Module *module,
                     symbols_like_fn *is_like, const char *glob)
{
    bool is_found = false;

    for (int i = dwfl_module_getsymtab(module); --i > 0 && !is_found;) {
        GElf_Sym symbol;
        const char *name = dwfl_module_getsym(module, i, &symbol, NULL);
        bool is_file = GELF_ST_TYPE(symbol.st_info) == STT_FILE;
        struct function_name made;

        if (name == NULL ||
            (!is_file && (GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
                          symbol.st_shndx == SHN_UNDEF)))
            continue;
        made = is_file ? (struct function_name){ memory_print("%s:", name),
                                                 memory_text(name), false }
                       : demangle_function(name, symbols->arguments);
        is_found = is_like(glob, made.whole) ||
                   (made.short_name != NULL && is_like(glob, made.short_name));
        free(made.whole);
        free(made.short_name);
    }
    return is_found;
}

bool symbols_have(struct symbols *symbols, symbols_like_fn *is_like,
                  const char *glob)
{
    const struct memory_use *outer = memory_use(&memory_for_names);
    bool is_found = false;

    debug_files_replace(true);
    for (size_t i = 0; i < symbols->module_count && !is_found; i++) {
        struct module *module = &symbols->modules[i];

        if (!module->was_opened)
            open_module(symbols, module);
        is_found = module->dwfl != NULL &&
                   has_name(symbols, module->dwfl_module, is_like, glob);
    }
    memory_use(outer);
    debug_files_replace(false);
    return is_found;
}

enum symbols_lack symbols_lack(const struct symbols *symbols, int module)
{
    return symbols->modules[module].lack;
}

const char *symbols_unread(const struct symbols *symbols, int module)
{
    return symbols->modules[module].unread;
}

bool symbols_has_interface(const struct symbols *symbols, int module)
{
    return symbols->modules[module].has_interface;
}

bool symbols_need(const struct symbols *symbols, size_t module, size_t library)
{
    return module < symbols->module_count && library < symbols->module_count &&
           symbols->modules[module].table != NULL &&
           symbol_table_needs(symbols->modules[module].table,
                              base_name(symbols->modules[library].path));
}

bool symbols_lacks_caller(const struct symbols *symbols, int number,
                          uint64_t place)
{
    const struct module *module = &symbols->modules[number];
    Dwarf_Addr bias = 0;
    OWNED Dwarf_Frame *frame = NULL;
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
    return !is_there;
}

uint64_t symbols_changed_ns(const struct symbols *symbols, int number)
{
    const struct module *module = &symbols->modules[number];

    return module->lack != SYMBOLS_LACK_SYMBOLS || module->build_id_size != 0 ||
                   symbols->sysroot[0] != '\0'
               ? 0
               : module->changed_ns;
}
