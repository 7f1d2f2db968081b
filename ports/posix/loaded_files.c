/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_files.c - asking the loader; see loaded_files.h */
#define _GNU_SOURCE
#include "ports/posix/loaded_files.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "ports/posix/loaded_symbols.h"
#include "ports/posix/page_map.h"

/* The head of glibc's struct dl_find_object, part of its public interface. */
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
    void *symbol = loaded_symbols_find("_dl_find_object");
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

/*
 * The program headers of a file: its first page has them. Of the executable the
 * kernel tells, for the loader may know no more of it than its code.
 */
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
