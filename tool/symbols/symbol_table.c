/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbol_table.c - the functions of one module, sorted by address
 *
 * The last symbol that starts at or before an address is shown. Symbols may
 * nest, so a few before the nearest one are also checked for the address.
 */
#include "tool/symbols/lookup.h"

enum { NESTING_LIMIT = 16 };

struct section {
    uint64_t start;
    uint64_t end;
    bool is_linkage;
};

struct symbol_table {
    struct arena *arena;
    Elf *elf; /* of the module; NULL: it has none */
    struct address_name *entries;
    size_t entry_count;
    struct section *sections; /* those with code */
    size_t section_count;
};

static bool is_function(const GElf_Sym *symbol, GElf_Word section,
                        const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    if (name == NULL || name[0] == '\0' || section == SHN_UNDEF ||
        section == SHN_ABS)
        return false;
    if (type == STT_FUNC || type == STT_GNU_IFUNC)
        return true;
    /* Symbols of assembly often have no type; its local labels are not
       functions. */
    return type == STT_NOTYPE && GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
}

enum { SIZED = 8, GLOBAL = 4, WEAK = 3, PLAIN = 2 };

/* Prefer the name that a programmer uses: sized, global, few underscores. */
static int merit_of(const GElf_Sym *symbol, const char *name)
{
    int merit = 0;

    if (symbol->st_size != 0)
        merit += SIZED;
    if (GELF_ST_BIND(symbol->st_info) == STB_GLOBAL)
        merit += GLOBAL;
    else if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
        merit += WEAK;
    if (name[0] != '_')
        merit += PLAIN;
    return merit;
}

static bool is_global(const struct address_name *entry)
{
    return entry->merit % SIZED >= WEAK;
}

static void collect_symbols(struct symbol_table *table, Dwfl_Module *module,
                            int symbol_count)
{
    for (int i = 1; i < symbol_count; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address,
                                                   &section, NULL, NULL);

        if (!is_function(&symbol, section, name))
            continue;
        ARENA_ADD(table->arena, table->entries, table->entry_count,
                  (struct address_name){ address, symbol.st_size, name,
                                         merit_of(&symbol, name) });
    }
    ARRAY_SORT(table->entries, table->entry_count, address_name_compare);
}

static void collect_sections(struct symbol_table *table, Elf *elf,
                             GElf_Addr bias)
{
    size_t names = 0;
    Elf_Scn *scan = NULL;

    elf_getshdrstrndx(elf, &names);
    while ((scan = elf_nextscn(elf, scan)) != NULL) {
        GElf_Shdr header;
        const char *name;

        if (gelf_getshdr(scan, &header) == NULL ||
            (header.sh_flags & SHF_EXECINSTR) == 0)
            continue;
        name = elf_strptr(elf, names, header.sh_name);
        ARENA_ADD(
            table->arena, table->sections, table->section_count,
            (struct section){
                .start = header.sh_addr + bias,
                .end = header.sh_addr + header.sh_size + bias,
                .is_linkage = name != NULL && strncmp(name, ".plt", 4) == 0,
            });
    }
}

struct symbol_table *symbol_table_create(struct arena *arena,
                                         Dwfl_Module *module)
{
    struct symbol_table *table = arena_zeroed(arena, 1, sizeof *table);
    GElf_Addr bias = 0;
    Elf *elf = table->elf = dwfl_module_getelf(module, &bias);

    table->arena = arena;
    collect_symbols(table, module, dwfl_module_getsymtab(module));
    if (elf != NULL)
        collect_sections(table, elf, bias);
    return table;
}

size_t symbol_table_count(const struct symbol_table *table)
{
    return table->entry_count;
}

bool symbol_table_needs(const struct symbol_table *table, const char *library)
{
    Elf_Data *data = NULL;
    Elf_Scn *scan = NULL;
    GElf_Shdr header;
    GElf_Dyn entry;
    const char *name = NULL;

    while (data == NULL && (scan = elf_nextscn(table->elf, scan)) != NULL)
        data =
            gelf_getshdr(scan, &header) != NULL && header.sh_type == SHT_DYNAMIC
                ? elf_getdata(scan, NULL)
                : NULL;
    for (int i = 0; gelf_getdyn(data, i, &entry) != NULL &&
                    (name == NULL || strcmp(name, library) != 0);
         i++)
        name = entry.d_tag != DT_NEEDED
                   ? NULL
                   : elf_strptr(table->elf, header.sh_link, entry.d_un.d_val);
    return name != NULL && strcmp(name, library) == 0;
}

static const struct section *find_section(const struct symbol_table *table,
                                          uint64_t address)
{
    for (size_t i = 0; i < table->section_count; i++) {
        if (address >= table->sections[i].start &&
            address < table->sections[i].end)
            return &table->sections[i];
    }
    return NULL;
}

bool symbol_table_find(const struct symbol_table *table, uint64_t address,
                       struct symbol_match *match)
{
    const struct section *section = find_section(table, address);
    size_t count = array_count_until(table->entries, table->entry_count,
                                     sizeof *table->entries, address);

    const struct address_name *entry;

    for (size_t i = 0; i < count && i < NESTING_LIMIT; i++) {
        entry = &table->entries[count - 1 - i];
        *match = (struct symbol_match){ entry->name, address - entry->address,
                                        true, is_global(entry) };
        if (match->distance < entry->size)
            return true;
    }
    if (count == 0 || section == NULL || section->is_linkage)
        return false;
    entry = &table->entries[count - 1];
    *match = (struct symbol_match){ entry->name, address - entry->address,
                                    false, is_global(entry) };
    return entry->address >= section->start && entry->size == 0;
}

bool symbol_table_is_linkage(const struct symbol_table *table, uint64_t address)
{
    const struct section *section = find_section(table, address);

    return section != NULL && section->is_linkage;
}
