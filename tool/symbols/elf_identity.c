/* SPDX-License-Identifier: Apache-2.0 */
/* elf_identity.c - see elf_identity.h */
#include "tool/symbols/elf_identity.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/regular_file.h"
#include "tool/tables/memory.h"

static void read_build_id(struct elf_identity *identity, Elf *elf)
{
    const void *build_id;
    ssize_t size = dwelf_elf_gnu_build_id(elf, &build_id);

    if (size <= 0 || size > ELF_BUILD_ID_CAPACITY)
        return;
    memcpy(identity->build_id, build_id, (size_t)size);
    identity->build_id_size = (size_t)size;
}

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

static bool read_elf(struct elf_identity *identity, Elf *elf)
{
    GElf_Ehdr header;

    if (elf_kind(elf) != ELF_K_ELF || gelf_getehdr(elf, &header) == NULL)
        return false;
    identity->is_fixed = header.e_type != ET_DYN;
    identity->has_thumb = header.e_machine == EM_ARM;
    read_build_id(identity, elf);
    read_extent(identity, elf);
    return true;
}

int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why)
{
    int descriptor = regular_file_open(AT_FDCWD, path, O_RDONLY);
    const struct memory_use *outer;
    bool is_elf = false;
    Elf *elf;

    *identity = (struct elf_identity){ 0 };
    if (descriptor < 0) {
        *why = strerrordesc_np(errno);
        return -1;
    }
    elf_version(EV_CURRENT);
    outer = memory_use(&memory_for_names);
    elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    if (elf != NULL)
        is_elf = read_elf(identity, elf);
    elf_end(elf);
    memory_use(outer);
    close(descriptor);
    if (!is_elf)
        *why = "it is no ELF file";
    return is_elf ? 0 : -1;
}
