/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file.h - what an executable's headers say of recording it
 */
#ifndef TALLY_TOOL_LAUNCH_ELF_FILE_H
#define TALLY_TOOL_LAUNCH_ELF_FILE_H

#include <stddef.h>

#include "format/sanitizer_runtimes.h"

enum elf_verdict {
    ELF_RECORDABLE,
    ELF_NONE,      /* no ELF file: the shell's business, or unreadable */
    ELF_FOREIGN,   /* another class, byte order or machine than ours */
    ELF_STATIC,    /* asks for no loader */
    ELF_MUSL,      /* asks for musl's loader */
    ELF_SANITIZED, /* needs a runtime that stands no recorder before it */
    ELF_DAMAGED,   /* headers that lead outside the file */
};

/* The runtime is said where there is one. */
enum elf_verdict elf_file_check(const char *path,
                                const struct sanitizer_runtime **runtime);

/*
 * The name of an allocator's function that the executable defines itself, or
 * "" when it defines none or is stripped of all names.
 */
void elf_file_find_allocator(const char *path, char *name, size_t capacity);

#endif /* TALLY_TOOL_LAUNCH_ELF_FILE_H */
