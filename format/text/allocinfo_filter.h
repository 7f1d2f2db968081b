/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_filter.h - filter the rows of an allocinfo text
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
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/text/allocinfo_text.h"

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
