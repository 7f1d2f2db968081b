/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_lines.h - lines of source files on this machine
 *
 * Begins as { 0 }. Each file is read once. Lines are wrong if the file changed
 * after it was compiled.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tool/tables/tables.h"

struct source_lines {
    struct text_pool paths; /* private, as are all fields */
    struct source_file *files;
    size_t count;
};

/* Return line `number`, from 1, trimmed, for the caller to free; NULL if the
   file cannot be read or has no such line. */
char *source_lines_find(struct source_lines *lines, const char *path,
                        uint64_t number);

void source_lines_free(struct source_lines *lines);
