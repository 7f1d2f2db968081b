/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_file.h - what an executable's headers say of recording it
 */
#ifndef TALLY_TOOL_LAUNCH_ELF_FILE_H
#define TALLY_TOOL_LAUNCH_ELF_FILE_H

#include <stddef.h>

#include "format/elf_facts.h"

/* What cannot be read says nothing. */
void elf_file_read(const char *path, struct elf_facts *facts);

/*
 * The name of an allocator's function that the executable defines itself, or
 * "" when it defines none or is stripped of all names.
 */
void elf_file_find_allocator(const char *path, char *name, size_t capacity);

#endif /* TALLY_TOOL_LAUNCH_ELF_FILE_H */
