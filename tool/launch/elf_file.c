/* SPDX-License-Identifier: Apache-2.0 */
/* elf_file.c - a program file's headers and symbols; see elf_file.h */
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

/*
 * Functions that only an allocator defines. malloc itself counts too: what an
 * executable defines goes before what is preloaded.
 */
static const char *const allocator_functions[] = {
    "malloc",    "mi_malloc",       "je_malloc",
    "tc_malloc", "_rjem_je_malloc", "_rjem_malloc",
};

static long read_at(int fd, void *into, size_t size, uint64_t offset)
{
    return pread(fd, into, size, (off_t)offset);
}

void elf_file_read(const char *path, struct elf_facts *facts)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    elf_facts_read(fd, read_at, facts);
    if (fd >= 0)
        close(fd);
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd < 0 || elf_version(EV_CURRENT) == EV_NONE
                   ? NULL
                   : elf_begin(fd, ELF_C_READ_MMAP, NULL);
    Elf_Scn *section = NULL;
    const char *found = NULL;

    while (elf != NULL && found == NULL &&
           (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            found = find_definition(elf, section, &header);
    }
    snprintf(name, capacity, "%s", found == NULL ? "" : found);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}
