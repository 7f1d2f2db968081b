/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.h - read, write and filter the text of Linux's /proc/allocinfo
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"

/*
 * The text of Linux's /proc/allocinfo.
 *
 * Tally writes this format and reads it from kernels. Version 1.0 is
 *
 *     allocinfo - version: 1.0
 *     #     <size>  <calls> <tag info>
 *            4096        1 fs/exec.c:10 func:load_
 *             128        2 drivers/a.c:7 [a] func:probe_
 *
 * where _ is a space: every row ends with one. Version 2.0 adds `key:value`
 * pairs before that space. Linux has `accurate:no`; Tally adds
 *
 *     unseen_frees:3
 *     unloaded:yes
 *     total_calls:12 total_bytes:6144
 *     peak_seen:512
 *     calls_per_second:3 bytes_per_second:1536
 *
 * the row's blocks found to be freed unseen; its shared object was unloaded;
 * and, on request, allocated blocks and bytes (total), the highest live bytes
 * seen, and mean rates of the totals. Unknown pairs are ignored. Bytes are
 * signed, since kernels have printed negative values; calls of 2^63 or more are
 * negative.
 *
 * The functions allocate nothing; texts point into the caller's bytes.
 */

#define ALLOCINFO_TITLE     "allocinfo - version: "
#define ALLOCINFO_COLUMNS   "#     <size>  <calls> <tag info>"
#define ALLOCINFO_HEADER_V1 ALLOCINFO_TITLE "1.0\n" ALLOCINFO_COLUMNS "\n"
#define ALLOCINFO_HEADER_V2 ALLOCINFO_TITLE "2.0\n" ALLOCINFO_COLUMNS "\n"

/* Keys of Tally's pairs that are also read. */
#define ALLOCINFO_TOTAL_CALLS "total_calls:"
#define ALLOCINFO_TOTAL_BYTES "total_bytes:"

struct allocinfo_row {
    int64_t bytes;
    uint64_t rounding; /* most bytes that a rounded size is off; read */
    uint64_t calls;    /* live blocks */
    double bytes_variance, calls_variance; /* variances of estimates */
    struct text_view file;
    uint64_t line;
    struct text_view module; /* length 0: built in */
    struct text_view function;
    bool has_unit;         /* "1.0K", "77B"; read, not written */
    bool is_inaccurate;    /* "accurate:no" */
    uint64_t unseen_frees; /* "unseen_frees:N" if not 0; written, not read */
    bool is_unloaded;      /* "unloaded:yes"; written, not read */
    bool has_totals;       /* "total_calls:N" and "total_bytes:N" */
    uint64_t total_calls;
    uint64_t total_bytes;
    bool has_peak; /* "peak_seen:N"; written, not read */
    uint64_t peak_seen;
    bool has_rates; /* "calls_per_second:N" and so on; written, not read */
    uint64_t calls_per_second;
    uint64_t bytes_per_second;
    struct text_view pairs; /* all pairs verbatim, even unknown ones; if not
                               empty, a writer writes these, not the fields
                               above */
};

/*
 * Write a row in version 1 or 2, with newline, without NUL. Version 1 has no
 * pairs. White space and control bytes in names become '_', an empty text '?'.
 * Return the row's length; if that exceeds `capacity`, the row was truncated.
 */
size_t allocinfo_write_row(char *out, size_t capacity, unsigned version,
                           const struct allocinfo_row *row);

/* Return a byte of a name as rows show it: '_' for white space and controls. */
char allocinfo_shown(char byte);

/* Compare two names as rows show them, like strcmp(). */
int allocinfo_compare_texts(struct text_view a, struct text_view b);

/*
 * Read the rows of an allocinfo text.
 *
 *     struct allocinfo_lines lines;
 *
 *     allocinfo_lines_open(&lines, bytes, size);
 *     while ((status = allocinfo_lines_next(&lines, &row)) > 0)
 *         use(&row);
 *
 * A kernel's file begins with two header lines. They may be missing, or
 * elsewhere in a sorted text; a second title is an error. Lines may end with
 * carriage returns and begin with grep's prefix. The first and last line may be
 * truncated; the last one is used if its numbers are complete. Blank lines
 * and a shell's prompts may lie before and behind the rows. Sizes may be
 * rounded, as "2.8M" by numfmt.
 *
 * A kernel log contains memory reports with the ten largest rows and rounded
 * sizes: the last report is read, and other messages are skipped.
 */

/* value, why the text cannot be read */
#define ALLOCINFO_ERROR_LIST(X)                                           \
    X(ALLOCINFO_E_OK, 0, "nothing is wrong")                              \
    X(ALLOCINFO_E_VERSION, -1, "the allocinfo version is not 1.0 or 2.0") \
    X(ALLOCINFO_E_ROW, -2, "malformed allocinfo row")                     \
    X(ALLOCINFO_E_CUT, -3, "the last line is truncated")                  \
    X(ALLOCINFO_E_SECOND, -4, "a second report begins")

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
    bool is_headless;  /* the truncated first line was skipped, ... */
    bool is_bare;      /* ... or used: its size may lack digits */
    bool is_cut;       /* the last line was skipped, ... */
    bool is_unended;   /* ... or used: it has no newline */
    uint64_t apart;    /* lines and marks skipped before and behind the rows */
    uint64_t prefixes; /* rows with a prefix */
    uint64_t rounded;  /* rows with a rounded size, not of a log */
    uint64_t rounding; /* most bytes that the sum of these is off */
    uint64_t reports;  /* reports of a kernel log; 0: not a log */
    uint64_t skipped;  /* other messages between its rows */
    uint64_t below_zero; /* its rows with unknown bytes */
};

struct allocinfo_lines {
    const char *bytes;
    size_t size;
    size_t at;        /* offset of the next line */
    size_t row;       /* offset of the last row, behind its prefix */
    uint64_t number;  /* lines before `at` */
    unsigned version; /* 1 or 2; 2 without a header */
    uint64_t others;  /* private: messages since that row */
    bool has_title;   /* private: before that line */
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

/*
 * Filter the rows of an allocinfo text.
 *
 * The filter is that of Linux's allocinfo ioctl: every field whose bit is in
 * the mask must match. Names match if they are equal, or equal in their last 63
 * bytes if they are longer. A name that ends with a star matches all names with
 * that prefix.
 *
 *     struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_MODULE };
 *
 *     if (allocinfo_filter_matches(&filter, &row)) // built-in rows
 *
 * If the numbers of a row are costly, check its names first.
 */

enum { ALLOCINFO_FILTER_NAME_LIMIT = 63 };

/* Linux's bits. */
enum allocinfo_filter_mask {
    ALLOCINFO_FILTER_MODULE = 1 << 0,
    ALLOCINFO_FILTER_FUNCTION = 1 << 1,
    ALLOCINFO_FILTER_FILE = 1 << 2,
    ALLOCINFO_FILTER_LINE = 1 << 3,
    ALLOCINFO_FILTER_INACCURATE = 1 << 4,
    ALLOCINFO_FILTER_MIN_SIZE = 1 << 5,
    ALLOCINFO_FILTER_MAX_SIZE = 1 << 6,
    ALLOCINFO_FILTER_ALL = (1 << 7) - 1,
    ALLOCINFO_FILTER_NUMBERS = ALLOCINFO_FILTER_INACCURATE |
                               ALLOCINFO_FILTER_MIN_SIZE |
                               ALLOCINFO_FILTER_MAX_SIZE,
};

struct allocinfo_filter {
    uint64_t mask;           /* bits of enum allocinfo_filter_mask */
    struct text_view module; /* empty: built-in rows */
    struct text_view function;
    struct text_view file;
    uint64_t line;
    bool is_inaccurate; /* true: rows with "accurate:no"; false: rows without */
    uint64_t min_size;  /* bytes, inclusive; negative values count as huge */
    uint64_t max_size;
};

/* Return true if the filter is valid: only known bits, minimum below
   maximum. */
bool allocinfo_filter_is_valid(const struct allocinfo_filter *filter);

/* Return true if the row's names match; its numbers are not read. */
bool allocinfo_filter_matches_names(const struct allocinfo_filter *filter,
                                    const struct allocinfo_row *row);

/* Return true if the row's numbers match; its names are not read. */
bool allocinfo_filter_matches_numbers(const struct allocinfo_filter *filter,
                                      const struct allocinfo_row *row);

/* Return true if names and numbers match. */
static inline bool
allocinfo_filter_matches(const struct allocinfo_filter *filter,
                         const struct allocinfo_row *row)
{
    return allocinfo_filter_matches_names(filter, row) &&
           allocinfo_filter_matches_numbers(filter, row);
}

/* Return the last bytes of a name, which identify it. */
struct text_view allocinfo_last_bytes(struct text_view name);
