/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_filter.h - which rows of an allocinfo text are wanted
 *
 * The filter of Linux's allocinfo ioctl: every field whose bit is in the mask
 * must agree. Names agree when they are equal; names longer than 63 bytes are
 * known by their last 63 alone. A name that ends with a star stands for all
 * that begin with what is before it.
 *
 *     struct allocinfo_filter filter = { .mask = ALLOCINFO_FILTER_MODULE };
 *
 *     if (allocinfo_filter_matches(&filter, &row)) // built-in rows
 *
 * Where the numbers of a row are costly, ask for its names first.
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
    uint64_t mask;           /* of enum allocinfo_filter_mask */
    struct text_view module; /* empty: built-in rows */
    struct text_view function;
    struct text_view file;
    uint64_t line;
    bool is_inaccurate; /* rows with or rows without "accurate:no" */
    uint64_t min_size;  /* in bytes, inclusive; negative bytes are huge */
    uint64_t max_size;
};

/* Whether it can be asked: only known bits, and a minimum below its maximum. */
bool allocinfo_filter_is_valid(const struct allocinfo_filter *filter);

/* Whether the row has the names; its numbers are not looked at. */
bool allocinfo_filter_matches_names(const struct allocinfo_filter *filter,
                                    const struct allocinfo_row *row);

/* Whether the row has the numbers; its names are not looked at. */
bool allocinfo_filter_matches_numbers(const struct allocinfo_filter *filter,
                                      const struct allocinfo_row *row);

/* Both. */
static inline bool
allocinfo_filter_matches(const struct allocinfo_filter *filter,
                         const struct allocinfo_row *row)
{
    return allocinfo_filter_matches_names(filter, row) &&
           allocinfo_filter_matches_numbers(filter, row);
}

/* As much of a name as it is known by. */
struct text_view allocinfo_last_bytes(struct text_view name);
