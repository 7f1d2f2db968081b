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
 * A kernel's file begins with two lines. They may be missing, or lie elsewhere in a
 * text that was sorted. Lines may end with carriage returns, and the last one may be
 * cut short: it is left out, which is_cut tells. In a kernel's log the rows of its
 * last report on memory are found, the ten largest, with rounded sizes.
 */
#ifndef TALLY_FORMAT_ALLOCINFO_LINES_H
#define TALLY_FORMAT_ALLOCINFO_LINES_H

#include "format/allocinfo_text.h"

/*
 * What a report on memory in a kernel's log begins with. Behind it is a colon, or, in
 * later kernels, whether profiling is on.
 */
#define ALLOCINFO_LOG_TITLE "Memory allocations"

struct allocinfo_lines {
    const char *bytes;
    size_t size;
    size_t at;        /* of the line that is read next */
    size_t row;       /* of the row that was read last */
    uint64_t number;  /* lines before `at` */
    unsigned version; /* 1 or 2; without a header 2 */
    bool is_log;
    bool is_cut;
};

/* Whether the bytes begin as such a text does, or are a kernel's log. */
bool allocinfo_lines_are(const char *bytes, size_t size);

void allocinfo_lines_open(struct allocinfo_lines *lines, const char *bytes,
                          size_t size);

/* 1 with a row, 0 at the end, or an error, of the line after `number` others. */
int allocinfo_lines_next(struct allocinfo_lines *lines,
                         struct allocinfo_row *row);

#endif /* TALLY_FORMAT_ALLOCINFO_LINES_H */
