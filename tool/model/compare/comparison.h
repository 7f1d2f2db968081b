/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.h - the rows of two profiles, place by place
 *
 * A place is a file, a line, a function and a module, or a call of stacks that
 * are known on both sides; call_numbers.h says which places are the same. All
 * sites of a place on both sides are one row.
 *
 *     struct comparison comparison;
 *
 *     if (comparison_open(&comparison, value, sides) == 0) {
 *         comparison_sort(&comparison, 0);
 *         show(&comparison.rows[0]);
 *     }
 *     comparison_close(&comparison);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/frame_names.h"
#include "tool/model/profile/measure.h"
#include "tool/tables/text_pool.h"
#include "tool/text/words.h"

/* A value to compare: bytes, blocks, or both. */
struct compared_value {
    const char *name;
    enum measure bytes, blocks; /* MEASURE_COUNT: none */
    bool is_of_blocks;          /* blocks decide, not bytes */
    const char *said;           /* before figures: "at the peak " */
};

/* All values, by name; the first is the default. */
extern const struct compared_value compared_values[];
extern const struct word_list compared_value_words;

/* Return a measure of amounts; 0 for MEASURE_COUNT. */
int64_t compared_of(const struct profile_amounts *amounts,
                    enum measure measure);

/* Return the measure of the value that a profile lacks, or MEASURE_COUNT. */
enum measure compared_unknown(const struct compared_value *value,
                              const struct profile *profile);

/* A profile, which outlives the comparison, and its sites to compare. */
struct comparison_side {
    struct named_profile of;
    size_t *sites;
    size_t count;
    const uint32_t *calls; /* by site, its call on both sides, as in
                              struct side_calls; NULL unknown */
    size_t call_limit;     /* one more than the highest of both sides */
};

struct comparison_amounts {
    int64_t bytes;
    int64_t blocks;
    double bytes_variance, blocks_variance; /* 0 in growth */
};

enum comparison_state {
    COMPARISON_BOTH, /* the place is on both sides */
    COMPARISON_NEW,
    COMPARISON_GONE,
};

struct comparison_row {
    const char *function; /* or MODULE+0xADDRESS; of the later side, as are the
                             next four */
    const char *file;     /* or path of the module, or "unknown" */
    uint64_t line;        /* 0 unknown */
    const char *module;   /* base name; NULL: built in, or the executable */
    const char *object;   /* base name of the file with the code, executables
                             too, or of a sum of files; NULL unknown */
    uint64_t line_before, line_after;   /* first lines; 0: none on that side */
    size_t places_before, places_after; /* more than 1: they are one row */
    enum comparison_state state;
    struct comparison_amounts before;
    struct comparison_amounts after;
    struct comparison_amounts growth;
    bool is_marked[2];  /* inaccurate, by side */
    bool is_inaccurate; /* marked on either side: values are wrong */
    bool is_unsure;     /* marked on one side alone: growth is wrong, too */
};

struct comparison {
    struct comparison_row *rows; /* all places, unchanged ones too */
    size_t count;
    struct comparison_row sum; /* amounts of all rows */
    size_t inaccurate_rows;    /* those whose growth is right */
    size_t unsure_rows;
    struct text_pool labels; /* private: of functions without names */
};

enum { COMPARISON_E_TOO_LARGE = -2 }; /* a sum does not fit into 64 bits */

/* Return 0 or an error; call comparison_close() in either case. */
int comparison_open(struct comparison *comparison,
                    const struct compared_value *value,
                    const struct comparison_side sides[2]);
void comparison_close(struct comparison *comparison);

/* Order growth by size, up or down; of equals, growth before decrease. */
int comparison_by_change(int64_t a, int64_t b);

/* Add the amounts of a row: sums of any rows fit. */
void comparison_add(struct comparison_row *sum,
                    const struct comparison_row *row);

/* Return the amount that decides: bytes or blocks. */
int64_t comparison_deciding(const struct compared_value *value,
                            const struct comparison_amounts *amounts);

/* Return growth in percent of the amount before; infinite if that is 0. */
double comparison_percent(int64_t before, int64_t growth);

/*
 * Sort rows by growth (0), blocks, before, after, function, file or module, the
 * number of a word. Largest amounts come first. Ties are broken by growth of
 * bytes, of blocks, then by file, line, function and module.
 */
extern const struct word_list comparison_orders;
void comparison_sort(struct comparison *comparison, unsigned order);
