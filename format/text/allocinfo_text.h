/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_text.h - the text of Linux's /proc/allocinfo
 *
 * For Tally, which writes it, and for readers of a kernel's own file. Version
 * 1.0 is
 *
 *     allocinfo - version: 1.0
 *     #     <size>  <calls> <tag info>
 *            4096        1 fs/exec.c:10 func:load_
 *             128        2 drivers/a.c:7 [a] func:probe_
 *
 * where _ is a space: every row ends with one. Version 2.0 adds `key:value`
 * pairs before that space. Linux has one, `accurate:no`; Tally adds
 *
 *     unseen_frees:3
 *     unloaded:yes
 *     total_calls:12 total_bytes:6144
 *     peak_seen:512
 *     calls_per_second:3 bytes_per_second:1536
 *
 * how many of the row's blocks were found to be freed out of sight, that its
 * shared object is gone, and, where it is asked for, all that was ever
 * allocated there, the most live bytes that were seen, and the average of the
 * totals over time. Unknown pairs are to be ignored. Bytes are signed, for
 * kernels have shown negative ones, and calls of 2^63 or more are negative
 * ones.
 *
 * Nothing is allocated; texts point into the caller's bytes.
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

/* Keys of pairs that are Tally's and are read back. */
#define ALLOCINFO_TOTAL_CALLS "total_calls:"
#define ALLOCINFO_TOTAL_BYTES "total_bytes:"

struct allocinfo_row {
    int64_t bytes;
    uint64_t calls;                        /* blocks that are live */
    double bytes_variance, calls_variance; /* how uncertain they are, squared */
    struct text_view file;
    uint64_t line;
    struct text_view module; /* length 0: built in */
    struct text_view function;
    bool is_inaccurate;    /* "accurate:no" */
    uint64_t unseen_frees; /* "unseen_frees:N" if not 0; written, not read */
    bool is_unloaded;      /* "unloaded:yes"; likewise */
    bool has_totals;       /* "total_calls:N" and "total_bytes:N" */
    uint64_t total_calls;
    uint64_t total_bytes;
    bool has_peak; /* "peak_seen:N"; written, not read */
    uint64_t peak_seen;
    bool has_rates; /* "calls_per_second:N" and so on; written, not read */
    uint64_t calls_per_second;
    uint64_t bytes_per_second;
    struct text_view pairs; /* all pairs as they stand, unknown ones too;
                                    a writer that has any writes these and not
                                    what the fields above say */
};

/*
 * Write a row in version 1 or 2, its newline included, without a NUL. Version 1
 * leaves pairs out. White space and controls in names become '_' and an empty
 * text '?'. Returns the row's length; if that is more than `capacity`, the rest
 * was left out.
 */
size_t allocinfo_write_row(char *out, size_t capacity, unsigned version,
                           const struct allocinfo_row *row);

/* A byte of a name as rows show it: '_' for white space and controls. */
char allocinfo_shown(char byte);

/* Order of two names as rows show them, as strcmp() has it. */
int allocinfo_compare_texts(struct text_view a, struct text_view b);
