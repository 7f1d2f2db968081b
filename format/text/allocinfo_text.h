/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.h - the text of Linux's /proc/allocinfo
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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"

#define ALLOCINFO_TITLE     "allocinfo - version: "
#define ALLOCINFO_COLUMNS   "#     <size>  <calls> <tag info>"
#define ALLOCINFO_HEADER_V1 ALLOCINFO_TITLE "1.0\n" ALLOCINFO_COLUMNS "\n"
#define ALLOCINFO_HEADER_V2 ALLOCINFO_TITLE "2.0\n" ALLOCINFO_COLUMNS "\n"

/* Keys of Tally's pairs that are also read. */
#define ALLOCINFO_TOTAL_CALLS "total_calls:"
#define ALLOCINFO_TOTAL_BYTES "total_bytes:"

struct allocinfo_row {
    int64_t bytes;
    uint64_t calls;                        /* live blocks */
    double bytes_variance, calls_variance; /* variances of estimates */
    struct text_view file;
    uint64_t line;
    struct text_view module; /* length 0: built in */
    struct text_view function;
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
