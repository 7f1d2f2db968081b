/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_files.c - debug files that libdw opens but cannot read
 *
 * libdw opens files by open(), which tool/files/ replaces. Here a file with
 * sections that zstd compressed becomes a copy without them, and the missing
 * file of a split unit a copy from the package, PROGRAM.dwp, or a file beside
 * the program. Copies lie in memory. Contents are not trusted: offsets are
 * checked by libelf or by short reads.
 */
#include "tool/symbols/lookup.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/files.h"

/* Most bytes of a section or a file, and most times that a section may become
   larger. */
enum { COMPRESSED_ZSTD = 2, MOST_BYTES = 1 << 30, MOST_TIMES = 256 };
static const off_t most_file_bytes = (off_t)4 * MOST_BYTES;

/* Unit that libdw looks for, or NULL. */
static _Thread_local const struct split_unit *split_unit;

/* Decompress into `to`; return false without libzstd or on damage. */
static bool decompress(void *to, size_t size, const void *from, size_t length)
{
    static _Thread_local size_t (*run)(void *, size_t, const void *, size_t);
    void *library, *found;

    if (run == NULL) {
        library = dlopen("libzstd.so.1", RTLD_NOW);
        found = library == NULL ? NULL : dlsym(library, "ZSTD_decompress");
        if (found == NULL)
            return false;
        memcpy(&run, &found, sizeof found);
    }
    return run(to, size, from, length) == size;
}

/* Decompress a section to the end of the copy, and change its header. */
static bool unpack_section(int copy, uint64_t *end, Elf64_Shdr *section)
{
    Elf64_Chdr header;
    size_t packed = section->sh_size - sizeof header;
    unsigned char *from = NULL, *to = NULL;
    bool is_done = false;

    if (pread(copy, &header, sizeof header, (off_t)section->sh_offset) ==
            sizeof header &&
        packed < *end && packed < MOST_BYTES && header.ch_size < MOST_BYTES &&
        header.ch_size / MOST_TIMES < packed) {
        from = memory_zeroed(packed, 1);
        to = memory_zeroed(header.ch_size, 1);
        is_done = regular_file_read(copy, from, packed,
                                    section->sh_offset + sizeof header) == 0 &&
                  decompress(to, header.ch_size, from, packed) &&
                  pwrite(copy, to, header.ch_size, (off_t)*end) ==
                      (ssize_t)header.ch_size;
    }
    if (is_done) {
        section->sh_flags &= ~(Elf64_Xword)SHF_COMPRESSED;
        section->sh_offset = *end;
        section->sh_size = header.ch_size;
        section->sh_addralign = header.ch_addralign;
        *end += header.ch_size;
    }
    free(from);
    free(to);
    return is_done;
}

static bool is_zstd(int file, const Elf64_Shdr *section)
{
    Elf64_Chdr header;

    return (section->sh_flags & SHF_COMPRESSED) != 0 &&
           section->sh_size > sizeof header &&
           pread(file, &header, sizeof header, (off_t)section->sh_offset) ==
               sizeof header &&
           header.ch_type == COMPRESSED_ZSTD;
}

static bool copy_file(int from, int to, uint64_t size)
{
    off_t at = 0;

    while ((uint64_t)at < size &&
           sendfile(to, from, &at, (size_t)(size - (uint64_t)at)) > 0)
        ;
    return (uint64_t)at == size;
}

/* Return a copy with decompressed sections, or -1 if there are none or they
   cannot be decompressed. */
static int unpacked_copy(int file, const Elf64_Ehdr *header,
                         Elf64_Shdr *sections)
{
    size_t size = header->e_shnum * sizeof *sections;
    struct stat status;
    bool is_done = true, has_any = false;
    uint64_t end;
    int copy = -1;

    for (size_t i = 0; i < header->e_shnum; i++)
        has_any = has_any || is_zstd(file, &sections[i]);
    if (!has_any || fstat(file, &status) < 0 ||
        status.st_size > most_file_bytes)
        return -1;
    end = (uint64_t)status.st_size;
    copy = memfd_create("tally-debug", MFD_CLOEXEC);
    is_done = copy >= 0 && copy_file(file, copy, end);
    for (size_t i = 0; i < header->e_shnum && is_done; i++) {
        if (is_zstd(copy, &sections[i]))
            is_done = unpack_section(copy, &end, &sections[i]);
    }
    if (is_done &&
        pwrite(copy, sections, size, (off_t)header->e_shoff) == (ssize_t)size)
        return copy;
    if (copy >= 0)
        close(copy);
    return -1;
}

/* Return the file, or a copy that replaces it. */
static int unpack(int file)
{
    Elf64_Ehdr header;
    OWNED Elf64_Shdr *sections = NULL;
    int copy = -1;

    if (pread(file, &header, sizeof header, 0) != sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_shentsize != sizeof *sections || header.e_shnum == 0)
        return file;
    sections = memory_zeroed(header.e_shnum, sizeof *sections);
    if (regular_file_read(file, sections, header.e_shnum * sizeof *sections,
                          header.e_shoff) == 0)
        copy = unpacked_copy(file, &header, sections);
    if (copy < 0)
        return file;
    close(file);
    return copy;
}

/* Sections of a split unit, by their numbers in the index of a package. */
static const struct {
    const char *name;
    uint32_t in_4, in_5;
} parts[] = {
    { ".debug_info.dwo", 1, 1 },     { ".debug_abbrev.dwo", 3, 3 },
    { ".debug_line.dwo", 4, 4 },     { ".debug_loc.dwo", 5, 0 },
    { ".debug_loclists.dwo", 0, 5 }, { ".debug_str_offsets.dwo", 6, 6 },
    { ".debug_rnglists.dwo", 0, 8 }, { ".debug_str.dwo", 0, 0 },
};

enum { PARTS = sizeof parts / sizeof parts[0] };

/* Return the data of a section; NULL if there is none that is readable. */
static const Elf_Data *section_of(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names = 0;
    GElf_Shdr header;

    elf_getshdrstrndx(elf, &names);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *found = gelf_getshdr(section, &header) == NULL
                                ? NULL
                                : elf_strptr(elf, names, header.sh_name);

        if (found != NULL && strcmp(found, name) == 0)
            return (header.sh_flags & SHF_COMPRESSED) != 0
                       ? NULL
                       : elf_rawdata(section, NULL);
    }
    return NULL;
}

static uint32_t word_of(const Elf_Data *data, uint64_t word)
{
    uint32_t value = 0;

    if (word < data->d_size / sizeof value)
        memcpy(&value, (const char *)data->d_buf + word * sizeof value,
               sizeof value);
    return value;
}

/*
 * Find the row of a unit in the index. It begins with version, columns, units
 * and slots; then come slots of signatures (two words each), slots of rows (one
 * word), a row of section numbers, rows of offsets, and rows of sizes.
 */
static uint32_t find_row(const Elf_Data *index, uint64_t id)
{
    uint32_t slots = word_of(index, 3);

    for (uint32_t slot = 0; slot < slots && slot < index->d_size; slot++) {
        uint64_t words = 4 + UINT64_C(2) * slot;

        if ((word_of(index, words) | (uint64_t)word_of(index, words + 1)
                                         << 32) == id)
            return word_of(index, 4 + UINT64_C(2) * slots + slot);
    }
    return 0;
}

/* Set the part of a section that a unit has. */
static bool find_part(const Elf_Data *index, uint32_t row, uint32_t number,
                      uint64_t limit, uint64_t *offset, uint64_t *size)
{
    uint64_t columns = word_of(index, 1), units = word_of(index, 2);
    uint64_t first = 4 + UINT64_C(3) * word_of(index, 3);

    for (uint64_t column = 0; column < columns && column < 16; column++) {
        if (word_of(index, first + column) != number)
            continue;
        *offset = word_of(index, first + row * columns + column);
        *size = word_of(index, first + (row + units) * columns + column);
        return *offset <= limit && *size <= limit - *offset;
    }
    return false;
}

/* Write a file with the sections of one unit. */
static bool write_unit(int file, Elf *package, const Elf_Data *index,
                       uint32_t row)
{
    bool is_5 = (word_of(index, 0) & 0xffff) == 5;
    Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
                                       ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                          .e_type = ET_REL,
                          .e_machine = EM_X86_64,
                          .e_version = EV_CURRENT,
                          .e_ehsize = sizeof header,
                          .e_shentsize = sizeof(Elf64_Shdr),
                          .e_shnum = PARTS + 2,
                          .e_shstrndx = PARTS + 1 };
    Elf64_Shdr sections[PARTS + 2] = { 0 };
    char names[PARTS * 32] = "";
    uint64_t at = sizeof header, used = 1;

    for (size_t i = 0; i < PARTS; i++) {
        const Elf_Data *data = section_of(package, parts[i].name);
        uint32_t number = is_5 ? parts[i].in_5 : parts[i].in_4;
        bool is_whole = parts[i].in_4 == 0 && parts[i].in_5 == 0;
        uint64_t offset = 0, size = data == NULL ? 0 : data->d_size;

        sections[i + 1] = (Elf64_Shdr){ .sh_name = (Elf64_Word)used,
                                        .sh_type = SHT_PROGBITS,
                                        .sh_offset = at,
                                        .sh_addralign = 1 };
        used += strlen(strcpy(names + used, parts[i].name)) + 1;
        if (data == NULL ||
            (!is_whole && (number == 0 || !find_part(index, row, number, size,
                                                     &offset, &size))))
            continue;
        if (size > MOST_BYTES ||
            pwrite(file, (const char *)data->d_buf + offset, size, (off_t)at) !=
                (ssize_t)size)
            return false;
        sections[i + 1].sh_size = size;
        at += size;
    }
    sections[PARTS + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
                                        .sh_offset = at,
                                        .sh_size = used,
                                        .sh_addralign = 1 };
    header.e_shoff = at + used;
    return pwrite(file, names, used, (off_t)at) == (ssize_t)used &&
           pwrite(file, sections, sizeof sections, (off_t)header.e_shoff) ==
               sizeof sections &&
           pwrite(file, &header, sizeof header, 0) == sizeof header;
}

static int open_packed(const struct split_unit *unit)
{
    OWNED char *path = memory_print("%s.dwp", unit->program);
    int package = regular_file_open(AT_FDCWD, path, O_RDONLY), file = -1;
    Elf *elf = package < 0 ? NULL : elf_begin(package, ELF_C_READ, NULL);
    const Elf_Data *index =
        elf == NULL ? NULL : section_of(elf, ".debug_cu_index");
    uint32_t row = index == NULL ? 0 : find_row(index, unit->id);

    if (row != 0)
        file = memfd_create("tally-split", MFD_CLOEXEC);
    if (file >= 0 && !write_unit(file, elf, index, row)) {
        close(file);
        file = -1;
    }
    elf_end(elf);
    if (package >= 0)
        close(package);
    return file;
}

/* Open the file of the same name beside the program. */
static int open_beside(const struct split_unit *unit, const char *path)
{
    const char *end = strrchr(unit->program, '/'), *name = strrchr(path, '/');
    OWNED char *beside =
        memory_print("%.*s%s", end == NULL ? 0 : (int)(end - unit->program) + 1,
                     unit->program, name == NULL ? path : name + 1);
    int file = regular_file_open(AT_FDCWD, beside, O_RDONLY);

    return file;
}

static int replace(const char *path, int file)
{
    if (file < 0 && split_unit != NULL) {
        file = open_packed(split_unit);
        if (file < 0)
            file = open_beside(split_unit, path);
    }
    return file < 0 ? file : unpack(file);
}

void debug_files_replace(bool is_on)
{
    regular_file_only(is_on);
    regular_file_replace(is_on ? replace : NULL);
}

void debug_files_look_for(const struct split_unit *unit)
{
    split_unit = unit;
}

int debug_file_unpacked(int file)
{
    return file < 0 ? file : unpack(file);
}
