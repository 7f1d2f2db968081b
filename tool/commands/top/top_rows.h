/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_rows.h - the sites of a program from one refresh to the next
 *
 * Rows are found again by their place, so that they know their rate, and names
 * are looked up once. Rows of an allocinfo text are found again by their label,
 * the n-th of those that share one.
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_ROWS_H
#define TALLY_TOOL_COMMANDS_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/text/allocinfo_filter.h"
#include "tool/model/profile/profile.h"
#include "tool/symbols/symbols.h"

struct top_row {
    int module;     /* number in the rows' symbols, -1 unknown */
    uint64_t place; /* with a label: how many have the same before it */
    const struct profile_label *label; /* of the profile; NULL for addresses */
    bool is_inaccurate;
    bool is_left_out;
    int64_t live_bytes;
    int64_t live_blocks;
    uint64_t total_bytes;
    uint64_t total_blocks;
    /* What was allocated in a second since the refresh before; where totals are
       lacking, by how much live values changed. */
    double rate;
    double block_rate;

    bool is_named; /* the names below were looked up; each may be NULL */
    const char *function;
    const char *file;
    uint64_t line;
    const char *module_path; /* of a label: the module */
};

struct top_rows {
    struct top_row *rows; /* in the order of the last sort */
    size_t count;         /* rows that the filter lets through */
    size_t all_count;     /* those and, behind them, the others */
    size_t capacity;
    bool has_rates;    /* there was a refresh before */
    bool lacks_totals; /* only live values are known */
    double rate;       /* of all rows, also of those that the filter hides */
    double block_rate; /* and, where totals are lacking, that have gone */

    const struct allocinfo_filter *filter; /* which rows are wanted */

    struct symbols *symbols;        /* private, to the end */
    struct profile_module *modules; /* by number; own paths */
    size_t module_count;
};

/* The filter must stay. False: out of memory, here and below. */
bool top_rows_begin(struct top_rows *rows,
                    const struct allocinfo_filter *filter,
                    const struct symbols_search *search);
void top_rows_end(struct top_rows *rows);

/*
 * The HEAP sites of a finished profile, `seconds` after the one before. That
 * one must stay until we return, the new one until the next update.
 */
bool top_rows_update(struct top_rows *rows, const struct profile *profile,
                     double seconds);

/* Look up a row's names, unless that is done. */
void top_row_find_names(struct top_rows *rows, struct top_row *row);

/* By `key`, one of TOP_SORT_KEYS: live, blocks, total, rate, function. */
#define TOP_SORT_KEYS "lbtrf"
void top_rows_sort(struct top_rows *rows, char key);

#endif /* TALLY_TOOL_COMMANDS_TOP_ROWS_H */
