/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_files.c - query the loader and symbol tables; see loaded_files.h */
#define _GNU_SOURCE
#include "ports/posix/loaded_files.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "format/text_after.h"
#include "ports/posix/page_map.h"

/* Flag in a version table: not the default version. */
#define IS_HIDDEN 0x8000u

/* Pointers from a file's dynamic section. */
struct tables {
    const uint32_t *gnu_hash, *hash; /* at least one of them */
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Half) * versions; /* NULL: none */
};

/* The loader's list. Weak, like __libc_stack_end: raw_calls.h. */
extern struct r_debug _r_debug __attribute__((weak)); /* NOLINT: its name */

struct search {
    const struct loaded_symbol *symbols;
    size_t count;
    uint32_t hashes[LOADED_SYMBOLS_LIMIT]; /* GNU's */
    uint64_t missing;                      /* one bit each */
    const void *own; /* files up to this one are skipped; NULL: reached */
    bool (*is_wanted)(const char *path);
};

/* Return an address of the dynamic section; glibc has added the bias if the
   section is writable. */
static const void *at(const struct link_map *file, uintptr_t address)
{
    return (const void *)(address < file->l_addr ? address + file->l_addr
                                                 : address);
}

static bool find_tables(const struct link_map *file, struct tables *tables)
{
    *tables = (struct tables){ 0 };
    for (const ElfW(Dyn) *entry = file->l_ld;
         entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *table = at(file, entry->d_un.d_ptr);

        if (entry->d_tag == DT_GNU_HASH)
            tables->gnu_hash = table;
        else if (entry->d_tag == DT_HASH)
            tables->hash = table;
        else if (entry->d_tag == DT_SYMTAB)
            tables->symbols = table;
        else if (entry->d_tag == DT_STRTAB)
            tables->names = table;
        else if (entry->d_tag == DT_VERSYM)
            tables->versions = table;
    }
    return tables->symbols != NULL && tables->names != NULL;
}

static uint32_t gnu_hash_of(const char *name)
{
    uint32_t hash = 5381;

    for (; *name != '\0'; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* System V's hash of a name. */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 0;

    for (; *name != '\0'; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    return hash;
}

static bool is_definition(const struct tables *tables, uint32_t number,
                          const char *name)
{
    const ElfW(Sym) *symbol = &tables->symbols[number];

    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
           ELF64_ST_TYPE(symbol->st_info) != STT_TLS &&
           (tables->versions == NULL ||
            (tables->versions[number] & IS_HIDDEN) == 0) &&
           is_same_text(tables->names + symbol->st_name, name);
}

/*
 * Search a GNU hash table: four words, the filter, for each bucket the first
 * symbol of its chain, and the hashes of all symbols from `first` on; the last
 * hash of a chain has bit 0 set. Return 0 if there is none.
 */
static uint32_t look_in_gnu_hash(const struct tables *tables, const char *name,
                                 uint32_t hash)
{
    uint32_t bucket_count = tables->gnu_hash[0], first = tables->gnu_hash[1];
    const ElfW(Addr) *filter = (const void *)&tables->gnu_hash[4];
    const uint32_t *buckets = (const void *)&filter[tables->gnu_hash[2]];
    const uint32_t *chains = buckets + bucket_count;
    uint32_t number = bucket_count == 0 ? 0 : buckets[hash % bucket_count];

    if (number < first)
        return 0;
    for (;; number++) {
        uint32_t its_hash = chains[number - first];

        if ((its_hash | 1) == (hash | 1) && is_definition(tables, number, name))
            return number;
        if ((its_hash & 1) != 0)
            return 0;
    }
}

/* Search a System V hash table: numbers of buckets and symbols, buckets,
   chains. */
static uint32_t look_in_hash(const struct tables *tables, const char *name)
{
    uint32_t bucket_count = tables->hash[0], count = tables->hash[1];
    const uint32_t *buckets = tables->hash + 2;
    const uint32_t *chains = buckets + bucket_count;
    uint32_t number =
        bucket_count == 0 ? 0 : buckets[hash_of(name) % bucket_count];

    while (number != STN_UNDEF && number < count &&
           !is_definition(tables, number, name))
        number = chains[number];
    return number < count ? number : 0;
}

/* Return the address of a symbol; an IFUNC's resolver is called, as the loader
   does. */
static uintptr_t address_of(const struct link_map *file,
                            const ElfW(Sym) * symbol)
{
    uintptr_t address = file->l_addr + symbol->st_value;
    uintptr_t (*resolve)(unsigned long);

    if (ELF64_ST_TYPE(symbol->st_info) != STT_GNU_IFUNC)
        return address;
    __builtin_memcpy(&resolve, &address, sizeof resolve);
    return resolve(getauxval(AT_HWCAP));
}

static void look_for(size_t index, struct search *search,
                     const struct link_map *file, const struct tables *tables)
{
    const struct loaded_symbol *wanted = &search->symbols[index];
    uint32_t number = 0;
    uintptr_t found;

    if (tables->gnu_hash != NULL)
        number = look_in_gnu_hash(tables, wanted->name, search->hashes[index]);
    else if (tables->hash != NULL)
        number = look_in_hash(tables, wanted->name);
    if (number == 0)
        return;
    found = address_of(file, &tables->symbols[number]);
    __builtin_memcpy(wanted->slot, &found, sizeof found);
    search->missing &= ~(UINT64_C(1) << index);
}

bool loaded_files_is_libcs(const char *path)
{
    const char *name = base_name(path);

    return is_same_text(name, "libc.so.6") ||
           is_same_text(name, "libpthread.so.0") ||
           text_after(name, "ld-linux") != NULL;
}

static void look_for_all(struct search *search, const struct link_map *file,
                         const struct tables *tables)
{
    for (size_t i = 0; i < search->count; i++) {
        if ((search->missing >> i & 1) != 0)
            look_for(i, search, file, tables);
    }
}

/* Search a file. Outside libc, a function counts in any version if it has no
   default one: libc_malloc_debug.so has malloc only in a version of libc. */
static void look(struct search *search, const struct link_map *file)
{
    bool is_libcs = loaded_files_is_libcs(file->l_name);
    struct tables tables;

    /* Skip the vDSO: its symbols are for libc only. */
    if ((search->is_wanted != NULL && !search->is_wanted(file->l_name)) ||
        (!is_libcs && file->l_addr == getauxval(AT_SYSINFO_EHDR)) ||
        !find_tables(file, &tables))
        return;
    look_for_all(search, file, &tables);
    if (!is_libcs && tables.versions != NULL) {
        tables.versions = NULL;
        look_for_all(search, file, &tables);
    }
}

/* Search all files; called for the first one, under the loader's lock. */
static int look_at_all(struct dl_phdr_info *first, size_t size, void *context)
{
    struct search *search = context;

    (void)first;
    (void)size;
    for (const struct link_map *file = &_r_debug == NULL ? NULL
                                                         : _r_debug.r_map;
         file != NULL && search->missing != 0; file = file->l_next) {
        if (search->own == NULL)
            look(search, file);
        else if (search->own == file->l_ld)
            search->own = NULL;
    }
    return 1;
}

static struct search begin(const struct loaded_symbol *symbols, size_t count,
                           const void *own, bool (*is_wanted)(const char *path))
{
    struct search search = { symbols, count, { 0 }, 0, own, is_wanted };

    for (size_t i = 0; i < count; i++) {
        search.missing |= UINT64_C(1) << i;
        search.hashes[i] = gnu_hash_of(symbols[i].name);
    }
    return search;
}

void loaded_symbols_find_all(const struct loaded_symbol *symbols, size_t count,
                             const void *own,
                             bool (*is_wanted)(const char *path))
{
    struct search search = begin(symbols, count, own, is_wanted);

    dl_iterate_phdr(look_at_all, &search);
}

void loaded_symbols_of_libc(const struct loaded_symbol *symbols, size_t count)
{
    struct search search = begin(symbols, count, NULL, loaded_files_is_libcs);

    look_at_all(NULL, 0, &search);
}

void *loaded_symbols_among(const char *name,
                           bool (*is_wanted)(const char *path))
{
    void *found = NULL;
    struct loaded_symbol symbol = { name, &found };

    loaded_symbols_find_all(&symbol, 1, NULL, is_wanted);
    return found;
}

void *loaded_symbols_find(const char *name)
{
    return loaded_symbols_among(name, NULL);
}

/* First fields of glibc's struct dl_find_object, a public interface. */
struct find_object_result {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    struct link_map *link_map;
    void *eh_frame;
    unsigned long long reserved[7];
};

static int (*find_object)(void *address, struct find_object_result *result);

void loaded_files_open(void)
{
    void *symbol =
        loaded_symbols_among("_dl_find_object", loaded_files_is_libcs);
    int (*found)(void *address, struct find_object_result *result);

    memcpy(&found, &symbol, sizeof symbol);
    __atomic_store_n(&find_object, found, __ATOMIC_RELAXED);
}

struct phdr_search {
    uintptr_t address;
    struct loaded_file *file;
};

static int match_phdr(struct dl_phdr_info *info, size_t size, void *context)
{
    struct phdr_search *search = context;
    uintptr_t start = UINTPTR_MAX, end = 0, eh_frame = 0;

    (void)size;
    if (!readable_file((uintptr_t)info->dlpi_phdr,
                       info->dlpi_phnum * sizeof(ElfW(Phdr)) + 1))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_GNU_EH_FRAME)
            eh_frame = from;
        if (header->p_type != PT_LOAD)
            continue;
        if (from < start)
            start = from;
        if (from + header->p_memsz > end)
            end = from + header->p_memsz;
    }
    start &= ~(uintptr_t)(PAGE_MAP_PAGE - 1);
    if (search->address < start || search->address >= end)
        return 0;
    *search->file =
        (struct loaded_file){ start,           end,  info->dlpi_addr,
                              info->dlpi_name, NULL, eh_frame };
    return 1;
}

bool loaded_files_find(uintptr_t address, struct loaded_file *file)
{
    struct phdr_search search = { address, file };
    struct find_object_result result;

    if (find_object == NULL)
        return dl_iterate_phdr(match_phdr, &search) == 1;
    if (find_object((void *)address, &result) != 0)
        return false;
    *file = (struct loaded_file){
        .start = (uintptr_t)result.map_start,
        .end = (uintptr_t)result.map_end,
        .bias = result.link_map->l_addr,
        .name = result.link_map->l_name,
        .entry = result.link_map,
        .eh_frame_header = (uintptr_t)result.eh_frame,
    };
    return true;
}

/* Return the program headers of a file, which lie in its first page. For the
   executable, ask the kernel, since the loader may know only its code. */
const ElfW(Phdr) *
    loaded_files_headers(const struct loaded_file *file, size_t *count)
{
    const ElfW(Ehdr) *elf = (const void *)file->start;

    if (file->name[0] == '\0') {
        *count = getauxval(AT_PHNUM);
        return readable_file(getauxval(AT_PHDR), *count * sizeof(ElfW(Phdr)))
                   ? (const void *)getauxval(AT_PHDR)
                   : NULL;
    }
    if (!readable_file(file->start, 1) ||
        memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
        elf->e_phoff + elf->e_phnum * sizeof(ElfW(Phdr)) > PAGE_MAP_PAGE)
        return NULL;
    *count = elf->e_phnum;
    return (const void *)(file->start + elf->e_phoff);
}

bool loaded_files_segment(const struct loaded_file *file, uintptr_t address,
                          uintptr_t *start, uintptr_t *end)
{
    size_t count = 0;
    const ElfW(Phdr) *headers = loaded_files_headers(file, &count);

    for (size_t i = 0; headers != NULL && i < count; i++) {
        uintptr_t from = file->bias + headers[i].p_vaddr;

        if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_R) == 0 ||
            address < from || address - from >= headers[i].p_filesz)
            continue;
        *start = from;
        *end = from + headers[i].p_filesz;
        return true;
    }
    return false;
}
