/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rows.h - assertions on the tags of a line
 *
 *     void *block = malloc(100);
 *     ROW(100, 1);
 *
 * ROW checks the line above it, EXPECT_LINE another one. Several tags of one
 * line are added up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally/alloc_tag.h"

struct rows {
    const char *file;
    uint32_t line;
    uint64_t bytes, calls, total_calls;
    uint32_t count;
};

static __inline__ int rows_add(struct alloc_tag *tag, void *context)
{
    struct rows *rows = (struct rows *)context;
    struct alloc_tag_counters counters;

    if ((rows->line != 0 && tag->lineno != rows->line) ||
        strcmp(tag->file, rows->file) != 0)
        return 0;
    counters = alloc_tag_read(tag);
    rows->bytes += counters.bytes;
    rows->calls += counters.calls;
    rows->total_calls += counters.total_calls;
    rows->count++;
    return 0;
}

/* Return the sum of a line's tags; line 0: the whole file. */
static __inline__ struct rows rows_of(const char *file, uint32_t line)
{
    struct rows rows;

    memset(&rows, 0, sizeof rows);
    rows.file = file;
    rows.line = line;
    alloc_tag_for_each(rows_add, &rows);
    return rows;
}

static __inline__ void rows_fail(const char *file, uint32_t at,
                                 const char *what, uint64_t is,
                                 uint64_t should_be)
{
    fprintf(stderr, "%s:%u: %s %llu, not %llu\n", file, (unsigned)at, what,
            (unsigned long long)is, (unsigned long long)should_be);
    allocinfo_write(2);
    abort();
}

static __inline__ void rows_expect(const char *file, uint32_t at, uint32_t line,
                                   uint64_t bytes, uint64_t calls)
{
    struct rows rows = rows_of(file, line);

    if (rows.bytes != bytes)
        rows_fail(file, at, "bytes are", rows.bytes, bytes);
    if (rows.calls != calls)
        rows_fail(file, at, "calls are", rows.calls, calls);
}

static __inline__ int rows_save_piece(const char *text, size_t size, void *file)
{
    return fwrite(text, 1, size, (FILE *)file) == size ? 0 : -1;
}

/* Write all rows to NAME.allocinfo, which `run` has the command read. */
static __inline__ void rows_save(const char *name, unsigned version,
                                 bool has_totals)
{
    FILE *file = fopen(name, "w");
    struct allocinfo_options options;

    memset(&options, 0, sizeof options);
    options.version = version;
    options.has_totals = has_totals;
    if (file == NULL ||
        allocinfo_write_to(rows_save_piece, file, &options) != 0 ||
        fclose(file) != 0)
        rows_fail(name, 0, "written", 0, 1);
}

#define ROW(bytes, calls) \
    rows_expect(__FILE__, __LINE__, __LINE__ - 1, bytes, calls)
#define EXPECT_LINE(line, bytes, calls) \
    rows_expect(__FILE__, __LINE__, (uint32_t)(line), bytes, calls)
#define EXPECT_FILE(bytes, calls) \
    rows_expect(__FILE__, __LINE__, 0, bytes, calls)
#define EXPECT(condition)                                                   \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)
