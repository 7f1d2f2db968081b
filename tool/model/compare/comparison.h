/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.h - two sets of rows, place by place
 *
 * Rows of one file, line, function and module are of one place, and are summed
 * first. Places of both sides are the same if all four are. Lines shift: when a
 * function has as many places on both sides and all have moved by the same
 * number of lines, they are the same in their order. So are those that only one
 * side has, if a function has as many of them on both sides. Where it has not,
 * it is not known which is which, and they are one row. A row knows the lines
 * of both sides.
 *
 *     struct comparison comparison;
 *
 *     if (comparison_open(&comparison, &before, &after) == 0) {
 *         comparison_sort(&comparison, 0);
 *         show(&comparison.rows[0]);
 *     }
 *     comparison_close(&comparison);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/profile/measure.h"
#include "tool/text/words.h"

/* What is compared: bytes, blocks, or both. */
struct compared_value {
    const char *name;
    enum measure bytes, blocks; /* MEASURE_COUNT: it has none */
    bool is_of_blocks;          /* they alone say whether it grew */
    const char *said;           /* before its figures: "at the peak " */
};

/* Their names, for words_find(); the first is the default. */
extern const struct compared_value compared_values[];
extern const struct word_list compared_value_words;

/* One measure of a row's amounts, 0 of MEASURE_COUNT. */
int64_t compared_of(const struct profile_amounts *amounts,
                    enum measure measure);

/* Which of the value's two a side does not tell; MEASURE_COUNT: none. */
enum measure compared_unknown(const struct compared_value *value,
                              const struct profile *profile);

/* One side. Its rows must stay until the comparison is closed. */
struct comparison_side {
    const struct allocinfo_row *rows;
    size_t count;
};

struct comparison_amounts {
    int64_t bytes;
    int64_t blocks;
    double bytes_variance, blocks_variance; /* not of growth */
};

enum comparison_state {
    COMPARISON_BOTH, /* the place is on both sides */
    COMPARISON_NEW,
    COMPARISON_GONE,
};

struct comparison_row {
    const struct allocinfo_row *place; /* its names, and line if it has but one
                                          side; not its numbers */
    uint64_t line_before,
        line_after; /* the first of them; 0: on one side none */
    size_t places_before, places_after; /* more than 1: they are one row */
    enum comparison_state state;
    struct comparison_amounts before;
    struct comparison_amounts after;
    struct comparison_amounts growth;
    bool is_inaccurate; /* marked on either side: values are wrong */
    bool is_unsure;     /* marked on one side alone: so is the growth */
};

struct comparison {
    struct comparison_row *rows; /* all places, unchanged ones too */
    size_t count;
    struct comparison_row sum; /* of all: its amounts */
    size_t inaccurate_rows;    /* of which the growth is right */
    size_t unsure_rows;
};

enum { COMPARISON_E_TOO_LARGE = -2 }; /* a sum does not fit into 64 bits */

/* 0, or an error; comparison_close() in either case. */
int comparison_open(struct comparison *comparison,
                    const struct comparison_side *before,
                    const struct comparison_side *after);
void comparison_close(struct comparison *comparison);

/* Order of growth: by how much it is, up or down; of equals what grew is
   first. */
int comparison_by_change(int64_t a, int64_t b);

/* Add the amounts of a row: those of some rows fit when they are added up. */
void comparison_add(struct comparison_row *sum,
                    const struct comparison_row *row);

/* What decides: bytes or, of a value that has none, blocks. */
int64_t comparison_deciding(const struct compared_value *value,
                            const struct comparison_amounts *amounts);

/* Growth in percent of what was before; infinite if there was nothing. */
double comparison_percent(int64_t before, int64_t growth);

/*
 * By growth, blocks (their growth), before, after, function, file or module.
 * Amounts come largest first, growth as comparison_by_change() has it. Ties go
 * by growth of bytes, of blocks, and then by file, line, function and module.
 * An order is the number of a word; 0 is "growth".
 */
extern const struct word_list comparison_orders;
void comparison_sort(struct comparison *comparison, unsigned order);
