/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_parts.h - tally top: what it is asked for, refresh after refresh, and the
 * sites of a program from one to the next
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/commands/options/options.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"
#include "tool/symbols/symbols.h"

/* What `tally top` is asked for. */
struct top_options {
    struct source_options of;
    double interval; /* seconds */
    long refreshes;  /* 0: until the end */
    long row_count;  /* of plain text */
    char sort_key;
    bool has_all;
    struct allocinfo_filter filter; /* of rows: with `sum`, of numbers alone */
};

/* On a terminal a screen that is drawn anew at each refresh and at each key;
   otherwise plain text, one refresh after the other. */
struct top_watch {
    const struct top_options *options;
    void *context; /* of the functions */

    /*
     * Read what is there now, and set the facts below. COMMAND_DONE, or a
     * status after a complaint.
     */
    int (*refresh)(struct top_watch *watch);

    /* Write rows from first_row on, at most `row_count`. */
    void (*write)(struct top_watch *watch, size_t row_count, unsigned width,
                  FILE *out);

    /* A key that does not scroll; or NULL. */
    void (*obey)(struct top_watch *watch, int key);

    size_t head_lines; /* above the rows, the last of them the titles */
    size_t rows;       /* that there are */
    size_t first_row;  /* rows above it are scrolled away */
    bool has_ended;    /* nothing will change any more */
    bool has_failed;   /* it cannot be read any more */
};

/* Until the end, or the user's; the exit status. */
int top_watch(struct top_watch *watch);

/* Seconds of a clock that goes on. */
double top_now(void);

/*
 * Rows are found again by their place, so that they know their rate, and names
 * are looked up once. Rows of an allocinfo text are found again by their label,
 * the n-th of those that share one.
 */
struct top_row {
    struct profile_site site; /* a copy; its label is the profile's */
    int module;               /* number in the rows' symbols, -1 unknown */
    uint64_t place; /* with a label: how many have the same before it */
    /* What was allocated in a second since the refresh before; where totals are
       lacking, by how much live values changed. */
    double rate;
    double block_rate;

    bool is_named; /* what follows was looked up; not its module's path */
    struct site_name name;
};

struct top_rows {
    struct top_row *rows; /* in the order of the last sort */
    size_t count;         /* rows that the filter lets through */
    size_t all_count;     /* those and, behind them, the others */
    bool has_rates;       /* there was a refresh before */
    bool lacks_totals;    /* only live values are known */
    double rate;       /* of the heap's, also of those that the filter hides */
    double block_rate; /* and, where totals are lacking, that have gone */

    const struct allocinfo_filter *filter; /* which rows are wanted */

    struct symbols *symbols; /* private, to the end */
    struct profile *known;   /* modules alone, by number */
};

/* The filter must stay. */
void top_rows_begin(struct top_rows *rows,
                    const struct allocinfo_filter *filter,
                    const struct symbols_search *search);
void top_rows_end(struct top_rows *rows);

/*
 * The sites of a finished profile, `seconds` after the one before. That
 * one must stay until we return, the new one until the next update.
 */
void top_rows_update(struct top_rows *rows, const struct profile *profile,
                     double seconds);

/* Look up a row's names, unless that is done. */
void top_row_find_names(struct top_rows *rows, struct top_row *row);

/* By `key`, one of TOP_SORT_KEYS: live, blocks, total, rate, function. */
#define TOP_SORT_KEYS "lbtrf"
void top_rows_sort(struct top_rows *rows, char key);

/* Whether `name` is a trace, or where one comes from. */
bool is_top_of_trace(const char *name);

/* Watch it; the exit status. */
int top_regions(const struct top_options *options, const char *name);
