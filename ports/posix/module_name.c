/* SPDX-License-Identifier: Apache-2.0 */
/* module_name.c - which shared object an address lies in, and how many came down */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>

#include "tally/port.h"

struct module_search {
    uintptr_t address;
    const char *path; /* NULL: not found; empty: the program */
};

static int find_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct module_search *search = context;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type != PT_LOAD ||
            search->address - info->dlpi_addr - header->p_vaddr >=
                header->p_memsz)
            continue;
        search->path = info->dlpi_name;
        return 1;
    }
    return 0;
}

bool tally_port_module_name(const void *address, char *name, size_t capacity)
{
    struct module_search search = { .address = (uintptr_t)address };
    const char *file, *end;
    size_t length;

    dl_iterate_phdr(find_module, &search);
    if (search.path == NULL || search.path[0] == '\0')
        return false;
    file = strrchr(search.path, '/');
    file = file == NULL ? search.path : file + 1;
    end = strstr(file, ".so");
    length = end == NULL || end == file ? strlen(file) : (size_t)(end - file);
    if (length >= capacity)
        length = capacity - 1;
    memcpy(name, file, length);
    name[length] = '\0';
    return true;
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_subs;
    return 1;
}

uint64_t tally_port_unloads(void)
{
    uint64_t unloads = 0;

    dl_iterate_phdr(read_unloads, &unloads);
    return unloads;
}
