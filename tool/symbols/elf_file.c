/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file.c - see lookup.h
 *
 * Variables do not nest, so only the last one that starts at or before an
 * address can contain it.
 */
#include "tool/symbols/lookup.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include "tool/files/files.h"

/* segments of a firmware image; bits of an address in a region of Cortex-M */
enum { MOST_SEGMENTS = 1024, REGION_BITS = 28 };

struct elf_extent {
    uint64_t start;
    uint64_t size;
};

static void read_extent(struct elf_identity *identity, Elf *elf)
{
    size_t count = 0;

    identity->low = UINT64_MAX;
    if (elf_getphdrnum(elf, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;

        if (gelf_getphdr(elf, (int)i, &segment) == NULL ||
            segment.p_type != PT_LOAD)
            continue;
        if (segment.p_vaddr < identity->low)
            identity->low = segment.p_vaddr;
        if (segment.p_vaddr + segment.p_memsz > identity->high)
            identity->high = segment.p_vaddr + segment.p_memsz;
    }
    if (identity->low > identity->high)
        identity->low = identity->high;
}

static bool read_identity(struct elf_identity *identity, Elf *elf)
{
    const void *build_id;
    GElf_Ehdr header;
    ssize_t size;

    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
        return false;
    identity->is_fixed = header.e_type != ET_DYN;
    identity->is_program = header.e_type == ET_EXEC;
    identity->has_thumb = header.e_machine == EM_ARM;
    identity->is_32_bit = header.e_ident[EI_CLASS] == ELFCLASS32;
    size = dwelf_elf_gnu_build_id(elf, &build_id);
    if (size > 0 && size <= ELF_BUILD_ID_CAPACITY) {
        memcpy(identity->build_id, build_id, (size_t)size);
        identity->build_id_size = (size_t)size;
    }
    read_extent(identity, elf);
    return true;
}

/* Return the merit of a symbol's name, or -1 if it is no variable. Marks of
   linker scripts have no type. */
static int merit_of(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    int merit = type == STT_OBJECT || type == STT_COMMON ? 8 : 0;

    if (merit == 0 && type != STT_NOTYPE)
        return -1;
    if (symbol->st_shndx == SHN_UNDEF ||
        (symbol->st_shndx == SHN_ABS && merit == 0))
        return -1;
    if (symbol->st_size != 0)
        merit += 4;
    if (GELF_ST_BIND(symbol->st_info) == STB_GLOBAL)
        merit += 2;
    return merit;
}

static void read_symbols(struct object_names *names, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count;

    if (data == NULL || header->sh_entsize == 0)
        return;
    count = header->sh_size / header->sh_entsize;
    for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name;
        int merit;

        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return; /* the rest lies outside the file */
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        merit = merit_of(&symbol);
        /* Linkers mark code and data of Arm with names that begin with '$'. */
        if (merit >= 0 && name != NULL && name[0] != '\0' && name[0] != '$')
            ARENA_ADD(names->arena, names->entries, names->entry_count,
                      (struct address_name){ symbol.st_value, symbol.st_size,
                                             arena_text(names->arena, name),
                                             merit });
    }
}

/*
 * Return true for a section in flash: a segment keeps it at its load address,
 * while RAM is apart: its data moves there at start, or another region of
 * addresses has variables only. A file without RAM apart is loaded into RAM.
 */
static bool lies_in_flash(Elf *elf, const GElf_Shdr *section)
{
    bool is_kept = false, has_ram_apart = false;
    GElf_Phdr segment;

    for (int i = 0; i < MOST_SEGMENTS && gelf_getphdr(elf, i, &segment) != NULL;
         i++) {
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
            continue;
        if (segment.p_filesz == 0)
            has_ram_apart |=
                (segment.p_vaddr ^ section->sh_addr) >> REGION_BITS != 0;
        else if (segment.p_paddr != segment.p_vaddr)
            has_ram_apart = true;
        else
            is_kept |= section->sh_addr - segment.p_vaddr < segment.p_filesz;
    }
    return is_kept && has_ram_apart;
}

/* Read the full symbol table or, in a stripped file, the dynamic one. */
static void read_sections(struct object_names *names, Elf *elf)
{
    const uint64_t is_ram = SHF_ALLOC | SHF_WRITE;
    GElf_Word wanted = SHT_SYMTAB;

    for (int round = 0; round < 2; round++) {
        Elf_Scn *section = NULL;

        while ((section = elf_nextscn(elf, section)) != NULL) {
            GElf_Shdr header;

            if (gelf_getshdr(section, &header) == NULL)
                continue;
            if (round == 0 &&
                (header.sh_flags & (is_ram | SHF_TLS)) == is_ram &&
                !lies_in_flash(elf, &header)) {
                ARENA_ADD(
                    names->arena, names->ram, names->ram_count,
                    (struct elf_extent){ header.sh_addr, header.sh_size });
                names->ram_bytes += header.sh_size;
            }
            if (header.sh_type == wanted)
                read_symbols(names, elf, section, &header);
        }
        if (names->entry_count > 0)
            break;
        wanted = SHT_DYNSYM;
    }
}

int address_name_compare(const void *left, const void *right)
{
    const struct address_name *a = left, *b = right;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->merit != b->merit)
        return a->merit < b->merit ? -1 : 1;
    return strcmp(b->name, a->name);
}

/* Return the reason for a failure, or NULL. `names` may be NULL. */
static const char *read_file(const char *path, struct elf_identity *identity,
                             struct object_names *names)
{
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);
    const struct memory_use *outer;
    bool is_elf;
    Elf *elf;

    *identity = (struct elf_identity){ 0 };
    if (descriptor < 0)
        return strerrordesc_np(errno);
    outer = memory_use(&memory_for_names);
    elf_version(EV_CURRENT);
    elf = elf_begin(descriptor, ELF_C_READ, NULL);
    is_elf = read_identity(identity, elf);
    if (is_elf && names != NULL)
        read_sections(names, elf);
    elf_end(elf);
    memory_use(outer);
    close(descriptor);
    return is_elf ? NULL : "not an ELF file";
}

int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why)
{
    *why = read_file(path, identity, NULL);
    return *why == NULL ? 0 : -1;
}

struct object_names *object_names_open(const char *path, const char **why)
{
    const struct memory_use *outer = memory_use(&memory_for_names);
    struct arena *arena = arena_create();
    struct object_names *names = arena_zeroed(arena, 1, sizeof *names);

    names->arena = arena;
    memory_use(outer);
    *why = read_file(path, &names->identity, names);
    if (*why != NULL) {
        object_names_close(names);
        return NULL;
    }
    ARRAY_SORT(names->entries, names->entry_count, address_name_compare);
    return names;
}

void object_names_close(struct object_names *names)
{
    if (names != NULL)
        arena_destroy(names->arena);
}

bool object_names_find(const struct object_names *names, uint64_t address,
                       struct object_name *name)
{
    size_t count = array_count_until(names->entries, names->entry_count,
                                     sizeof *names->entries, address);
    const struct address_name *entry;

    if (count == 0)
        return false;
    entry = &names->entries[count - 1];
    *name = (struct object_name){ entry->name, address - entry->address };
    return name->offset == 0 || name->offset < entry->size;
}

bool object_names_is_ram(const struct object_names *names, uint64_t address)
{
    for (size_t i = 0; i < names->ram_count; i++) {
        if (address - names->ram[i].start < names->ram[i].size)
            return true;
    }
    return false;
}
