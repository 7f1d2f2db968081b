/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_lines.h - lines of source files, as they are on this machine now
 *
 * Begins as { 0 }. Each file is read once. A file that is no longer the one
 * that was compiled may have other lines.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tool/tables/text_pool.h"

struct source_lines {
    struct text_pool paths; /* private, as is all */
    struct source_file *files;
    size_t count;
};

/* Line `number`, from 1, without spaces around it, for the caller to free;
   NULL: the file cannot be read, or has no such line. */
char *source_lines_find(struct source_lines *lines, const char *path,
                        uint64_t number);

void source_lines_free(struct source_lines *lines);
