/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unreadable_library.c - a library that allocates and makes pages of itself
 * unreadable
 *
 * argv[1] protects its "header" or its unwind tables ("unwind"), or has its
 * header "unmapped". Stacks through it are truncated; every block is counted.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/recorder/victims/victim.h"

enum { CALLS = 10, PAGE = 4096 };

void *plugin_block(void);

struct pages {
    uintptr_t header, unwind;
};

static int find(struct dl_phdr_info *info, size_t size, void *context)
{
    struct pages *pages = context;
    uintptr_t unwind = 0;
    int is_here = 0;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_GNU_EH_FRAME)
            unwind = from;
        if (header->p_type == PT_LOAD &&
            (uintptr_t)plugin_block - from < header->p_memsz)
            is_here = 1;
    }
    if (is_here)
        *pages = (struct pages){ info->dlpi_addr, unwind & -(uintptr_t)PAGE };
    return is_here;
}

int main(int argc, char **argv)
{
    struct pages pages = { 0, 0 };
    int result;

    REQUIRE(argc == 2 && dl_iterate_phdr(find, &pages) == 1);
    REQUIRE(pages.unwind != pages.header);
    if (strcmp(argv[1], "unmapped") == 0)
        result = munmap((void *)pages.header, PAGE);
    else
        result =
            mprotect((void *)(strcmp(argv[1], "header") == 0 ? pages.header
                                                             : pages.unwind),
                     PAGE, PROT_NONE);
    REQUIRE(result == 0);
    for (int i = 0; i < CALLS; i++)
        free(plugin_block());
    _exit(0); /* the loader needs the pages at exit */
}
