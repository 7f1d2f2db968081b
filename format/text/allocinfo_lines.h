/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_lines.h - the rows of an allocinfo text, however it was kept
 *
 *     struct allocinfo_lines lines;
 *
 *     allocinfo_lines_open(&lines, bytes, size);
 *     while ((status = allocinfo_lines_next(&lines, &row)) > 0)
 *         use(&row);
 *
 * A kernel's file begins with two lines. They may be missing, or lie elsewhere
 * in a text that was sorted. Lines may end with carriage returns, and the last
 * one may be cut short: it is used if its numbers are whole. In a kernel's log
 * the rows of its last report on memory are found, the ten largest, with
 * rounded sizes, and other messages between them are skipped.
 */
#pragma once

#include "format/text/allocinfo_text.h"

/* value, why it cannot be read */
#define ALLOCINFO_ERROR_LIST(X)                                           \
    X(ALLOCINFO_E_OK, 0, "nothing is wrong")                              \
    X(ALLOCINFO_E_VERSION, -1, "the allocinfo version is not 1.0 or 2.0") \
    X(ALLOCINFO_E_ROW, -2, "a row is not of allocinfo's form")            \
    X(ALLOCINFO_E_CUT, -3, "the last line is cut short")

enum allocinfo_error {
#define ALLOCINFO_ERROR_ENUM(name, value, why) name = (value),
    ALLOCINFO_ERROR_LIST(ALLOCINFO_ERROR_ENUM)
#undef ALLOCINFO_ERROR_ENUM
};

/* Static, without a full stop, never NULL. */
const char *allocinfo_error_why(int error);

/* In the place of a version: a kernel's log. */
enum { ALLOCINFO_LOG = 0 };

/* What is to be known of the rows that were read. */
struct allocinfo_remarks {
    bool is_cut;         /* the last line is left out, */
    bool is_unended;     /* ... or used: it has no newline */
    uint64_t reports;    /* of a kernel's log, which this is if it is not 0 */
    uint64_t skipped;    /* other messages of it between its rows */
    uint64_t below_zero; /* rows of it whose bytes are not known */
};

struct allocinfo_lines {
    const char *bytes;
    size_t size;
    size_t at;        /* of the line that is read next */
    size_t row;       /* of the row that was read last */
    uint64_t number;  /* lines before `at` */
    unsigned version; /* 1 or 2; without a header 2 */
    uint64_t others;  /* private: messages since that row */
    struct allocinfo_remarks remarks;
};

/* Whether the bytes begin as such a text does. */
bool allocinfo_lines_are(const void *bytes, size_t size);

/* Whether any line is a row, of a text or a log, whatever the others are. */
bool allocinfo_lines_have_row(const void *bytes, size_t size);

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size);

/* 1 with a row, 0 at the end, or an error, of the line after `number`
   others. */
int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row);

/*
 * Read one row: the number of bytes it takes, or an error. Without a newline a
 * row is read if its numbers are whole; the end of its names may be missing.
 *
 * A row of a kernel's log is behind whatever a log writes before a line; 0: it
 * is another message. Sizes are rounded, "11.0 MiB", by less than 1 %. Those of
 * 8 EiB or more are counts below zero: they become 0, and the row is
 * inaccurate.
 */
int64_t allocinfo_read_row(const char *bytes, size_t size, unsigned version,
                           struct allocinfo_row *row);
