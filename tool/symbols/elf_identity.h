/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_identity.h - which file it is, where its code lies, and how calls return
 * there
 *
 * Of 32 and of 64 bits and of any machine, for the file may be firmware.
 */
#ifndef TALLY_TOOL_SYMBOLS_ELF_IDENTITY_H
#define TALLY_TOOL_SYMBOLS_ELF_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_BUILD_ID_CAPACITY = 64 };

struct elf_identity {
    uint8_t build_id[ELF_BUILD_ID_CAPACITY];
    size_t build_id_size; /* 0: it has none */
    bool is_fixed;        /* it runs where it was linked for */
    bool has_thumb;       /* bit 0 of a return address is no part of it */
    uint64_t low, high;   /* what its segments span, as the file counts */
};

/* 0, or -1 with the reason, which is static, in `why`. */
int elf_identity_read(const char *path, struct elf_identity *identity,
                      const char **why);

#endif /* TALLY_TOOL_SYMBOLS_ELF_IDENTITY_H */
