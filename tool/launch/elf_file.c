/* SPDX-License-Identifier: Apache-2.0 */
/* elf_file.c - an executable's headers and symbols; see elf_file.h */
#include "tool/launch/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#error "name this machine's ELF number here"
#endif

/*
 * Functions that only an allocator defines. malloc itself counts too: what an
 * executable defines goes before what is preloaded.
 */
static const char *const allocator_functions[] = {
    "malloc",    "mi_malloc",       "je_malloc",
    "tc_malloc", "_rjem_je_malloc", "_rjem_malloc",
};

struct open_elf {
    int fd;
    Elf *elf;
};

static bool open_elf(const char *path, struct open_elf *file)
{
    file->elf = NULL;
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return false;
    if (elf_version(EV_CURRENT) != EV_NONE)
        file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    return file->elf != NULL;
}

static void close_elf(struct open_elf *file)
{
    if (file->elf != NULL)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
}

static bool read_at(int fd, char *to, size_t capacity, uint64_t offset,
                    uint64_t size)
{
    if (size == 0 || size >= capacity || offset > INT64_MAX)
        return false;
    if (pread(fd, to, size, (off_t)offset) != (ssize_t)size)
        return false;
    to[size] = '\0';
    return true;
}

static enum elf_verdict check_loader(const struct open_elf *file,
                                     const GElf_Phdr *header)
{
    char loader[PATH_MAX];
    const char *base;

    if (!read_at(file->fd, loader, sizeof loader, header->p_offset,
                 header->p_filesz))
        return ELF_DAMAGED;
    base = strrchr(loader, '/');
    base = base == NULL ? loader : base + 1;
    return strncmp(base, "ld-musl", strlen("ld-musl")) == 0 ? ELF_MUSL
                                                            : ELF_RECORDABLE;
}

static enum elf_verdict check_segments(const struct open_elf *file)
{
    size_t count = 0;

    if (elf_getphdrnum(file->elf, &count) != 0)
        return ELF_DAMAGED;
    for (size_t i = 0; i < count && i < INT_MAX; i++) {
        GElf_Phdr header;

        if (gelf_getphdr(file->elf, (int)i, &header) == NULL)
            return ELF_DAMAGED;
        if (header.p_type == PT_INTERP)
            return check_loader(file, &header);
    }
    return ELF_STATIC;
}

/* What is known of a file, as more of it is read. */
struct judgement {
    enum elf_verdict verdict;
    const struct sanitizer_runtime *runtime;
};

/* The loader can be run too, and loads the program in its arguments. */
static void judge_entry(GElf_Sxword tag, const char *name,
                        struct judgement *judgement)
{
    if (tag == DT_SONAME && judgement->verdict == ELF_STATIC &&
        strncmp(name, "ld-linux", strlen("ld-linux")) == 0)
        judgement->verdict = ELF_RECORDABLE;
    if (tag != DT_NEEDED || judgement->verdict != ELF_RECORDABLE)
        return;
    judgement->runtime = sanitizer_runtime_of(name);
    if (judgement->runtime != NULL)
        judgement->verdict = ELF_SANITIZED;
}

static void judge_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          struct judgement *judgement)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count;

    if (data == NULL || header->sh_entsize == 0)
        return;
    count = data->d_size / header->sh_entsize;
    for (size_t i = 0; i < count && i < INT_MAX; i++) {
        GElf_Dyn entry;
        const char *name;

        if (gelf_getdyn(data, (int)i, &entry) == NULL)
            break;
        if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME)
            continue;
        name = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
        if (name != NULL)
            judge_entry(entry.d_tag, name, judgement);
    }
}

/* What its segments said, after a look at the names in it. */
static void check_names(const struct open_elf *file,
                        struct judgement *judgement)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL &&
            header.sh_type == SHT_DYNAMIC)
            judge_section(file->elf, section, &header, judgement);
    }
}

static bool begins_as_elf(int fd)
{
    char magic[SELFMAG];

    return pread(fd, magic, SELFMAG, 0) == SELFMAG &&
           memcmp(magic, ELFMAG, SELFMAG) == 0;
}

static enum elf_verdict check(const struct open_elf *file,
                              const struct sanitizer_runtime **runtime)
{
    struct judgement judgement = { ELF_NONE, NULL };
    GElf_Ehdr header;

    if (elf_kind(file->elf) != ELF_K_ELF)
        return begins_as_elf(file->fd) ? ELF_DAMAGED : ELF_NONE;
    if (gelf_getehdr(file->elf, &header) == NULL)
        return ELF_DAMAGED;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != OWN_MACHINE)
        return ELF_FOREIGN;
    judgement.verdict = check_segments(file);
    check_names(file, &judgement);
    *runtime = judgement.runtime;
    return judgement.verdict;
}

enum elf_verdict elf_file_check(const char *path,
                                const struct sanitizer_runtime **runtime)
{
    struct open_elf file;
    enum elf_verdict verdict =
        open_elf(path, &file) ? check(&file, runtime) : ELF_NONE;

    close_elf(&file);
    return verdict;
}

static bool is_allocator_function(const char *name)
{
    for (size_t i = 0;
         i < sizeof allocator_functions / sizeof allocator_functions[0]; i++) {
        if (strcmp(name, allocator_functions[i]) == 0)
            return true;
    }
    return false;
}

/* The first allocator function that this symbol table defines, or NULL. */
static const char *find_definition(Elf *elf, Elf_Scn *section,
                                   const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count;

    if (data == NULL || header->sh_entsize == 0)
        return NULL;
    count = data->d_size / header->sh_entsize;
    for (size_t i = 0; i < count && i < INT_MAX; i++) {
        GElf_Sym symbol;
        const char *name;

        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            return NULL;
        if (symbol.st_shndx == SHN_UNDEF ||
            GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
            continue;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name != NULL && is_allocator_function(name))
            return name;
    }
    return NULL;
}

void elf_file_find_allocator(const char *path, char *name, size_t capacity)
{
    struct open_elf file;
    Elf_Scn *section = NULL;
    const char *found = NULL;

    name[0] = '\0';
    if (open_elf(path, &file)) {
        while (found == NULL &&
               (section = elf_nextscn(file.elf, section)) != NULL) {
            GElf_Shdr header;

            if (gelf_getshdr(section, &header) != NULL &&
                (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
                found = find_definition(file.elf, section, &header);
        }
        if (found != NULL)
            snprintf(name, capacity, "%s", found);
    }
    close_elf(&file);
}
