/* SPDX-License-Identifier: Apache-2.0 */
/* debug_files.h - files that libdw opens, made readable for it */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Unit whose debug information lies in another file (-gsplit-dwarf). */
struct split_unit {
    const char *program; /* path here */
    uint64_t id;
};

/* From true to false, have libraries of this thread open regular files only,
   without sections that zstd compressed. */
void debug_files_replace(bool is_on);

/* Look for that unit if its file is missing; NULL: for none. */
void debug_files_look_for(const struct split_unit *unit);

/* Return a file without sections that zstd compressed: `file`, or a copy in
   place of it. */
int debug_file_unpacked(int file);
