/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_lines.h - read the rows of an allocinfo text
 *
 *     struct allocinfo_lines lines;
 *
 *     allocinfo_lines_open(&lines, bytes, size);
 *     while ((status = allocinfo_lines_next(&lines, &row)) > 0)
 *         use(&row);
 *
 * A kernel's file begins with two header lines. They may be missing, or
 * elsewhere in a sorted text. Lines may end with carriage returns. The last
 * line may be truncated; it is used if its numbers are complete. A kernel log
 * contains memory reports with the ten largest rows and rounded sizes: the last
 * report is read, and other messages are skipped.
 */
#pragma once

#include "format/text/allocinfo_text.h"

/* value, why the text cannot be read */
#define ALLOCINFO_ERROR_LIST(X)                                           \
    X(ALLOCINFO_E_OK, 0, "nothing is wrong")                              \
    X(ALLOCINFO_E_VERSION, -1, "the allocinfo version is not 1.0 or 2.0") \
    X(ALLOCINFO_E_ROW, -2, "malformed allocinfo row")                     \
    X(ALLOCINFO_E_CUT, -3, "the last line is cut short")

enum allocinfo_error {
#define ALLOCINFO_ERROR_ENUM(name, value, why) name = (value),
    ALLOCINFO_ERROR_LIST(ALLOCINFO_ERROR_ENUM)
#undef ALLOCINFO_ERROR_ENUM
};

/* Return static text without a full stop, never NULL. */
const char *allocinfo_error_why(int error);

/* In place of a version: a kernel log. */
enum { ALLOCINFO_LOG = 0 };

/* Facts about the rows that were read. */
struct allocinfo_remarks {
    bool is_cut;         /* the last line was skipped, ... */
    bool is_unended;     /* ... or used: it has no newline */
    uint64_t reports;    /* reports of a kernel log; 0: not a log */
    uint64_t skipped;    /* other messages between its rows */
    uint64_t below_zero; /* its rows with unknown bytes */
};

struct allocinfo_lines {
    const char *bytes;
    size_t size;
    size_t at;        /* offset of the next line */
    size_t row;       /* offset of the last row */
    uint64_t number;  /* lines before `at` */
    unsigned version; /* 1 or 2; 2 without a header */
    uint64_t others;  /* private: messages since that row */
    struct allocinfo_remarks remarks;
};

/* Return true if the bytes begin like an allocinfo text. */
bool allocinfo_lines_are(const void *bytes, size_t size);

/* Return true if any line is a row, of a text or a log. */
bool allocinfo_lines_have_row(const void *bytes, size_t size);

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size);

/* Return 1 with a row, 0 at the end, or an error in line `number` + 1. */
int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row);

/*
 * Read one row; return its length in bytes, or an error. Without a newline, a
 * row is read if its numbers are complete; its names may be truncated.
 *
 * A row of a kernel log follows the log's own prefix; 0 means another message.
 * Sizes are rounded, "11.0 MiB", by less than 1 %. Sizes of 8 EiB or more are
 * negative counts: they become 0, and the row is inaccurate.
 */
int64_t allocinfo_read_row(const char *bytes, size_t size, unsigned version,
                           struct allocinfo_row *row);
