/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_parts.h - tally top: what it is asked for, rows that are known again from
 * one refresh to the next, and the screen that shows them
 *
 * A source fills rows at each refresh. A row is cells, one for each column of
 * its source; what is drawn, sorted and chosen follows from the columns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/commands/options/options.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/figure.h"
#include "tool/session/clock.h"
#include "tool/tables/text_pool.h"

/* What `tally top` is asked for. */
struct top_options {
    struct source_options of;
    double interval;  /* seconds */
    long refreshes;   /* 0: until the end */
    long row_count;   /* of plain text */
    const char *sort; /* a column's word; NULL: the source's own order */
    bool has_all;
};

/* What is known of all rows, or was asked for. */
enum top_facts {
    TOP_TOTALS = 1 << 0,
    TOP_NO_TOTALS = 1 << 1,
    TOP_PEAKS = 1 << 2,
    TOP_TEMPORARY = 1 << 3,
    TOP_RATES = 1 << 4, /* there was a refresh before */
    TOP_MARK = 1 << 5,
    TOP_RESIDENT = 1 << 6,
};

struct top_column {
    const char *word; /* to sort by it; NULL: that says nothing */
    const char *title;
    enum figure_unit unit;
    enum table_alignment alignment;
    unsigned needs;  /* facts without which there is no such column */
    bool is_rate;    /* "-" without TOP_RATES */
    bool is_on_call; /* shown only while rows are sorted by it */
};

enum { TOP_COLUMNS = TABLE_COLUMNS };

union top_cell {
    int64_t number;
    const char *text; /* of the rows' pool */
};

struct top_row {
    uint32_t key;  /* the number of what it is known by */
    size_t number; /* the source's own */
    union top_cell cells[TOP_COLUMNS];
};

/* What a row was; kept also while there is no such row. */
struct top_past {
    unsigned refresh;   /* that it was seen in last */
    int64_t counted[2]; /* what rates are the change of */
    int64_t resident;
    int64_t now;
    int64_t marked; /* what `now` was at the mark */
};

struct top_rows {
    struct top_row *rows;
    size_t count;
    unsigned refresh;
    struct text_pool texts; /* private, as are the next: keys and others, */
    struct top_past *pasts; /* and by key what was */
    size_t past_count;
};

struct top;

/* A kind of source. */
struct top_source {
    const struct top_column *columns;
    size_t column_count;
    size_t head_lines; /* above the rows, their titles among them */

    /* Read what is there now, and set facts and rows. COMMAND_DONE, a status
       after a complaint, or COMMAND_GO_ON for another source. */
    int (*refresh)(struct top *top);
    /* `first` and `end` are of the rows that follow. */
    void (*write_head)(const struct top *top, size_t first, size_t end,
                       FILE *out);
    /* What is to be seen when a row is opened; or NULL. */
    void (*write_row)(const struct top *top, size_t number, FILE *out);
    /* Processes to choose from, a line for each; the number of the one that is
       watched. NULL: there are none. */
    size_t (*write_processes)(struct top *top, FILE *out);
    void (*take_process)(struct top *top, size_t number);
};

struct top {
    const struct top_options *options;
    const struct top_source *source;
    void *context; /* the source's */
    struct top_rows rows;
    unsigned facts;
    size_t sort;         /* a column; column_count: the source's order */
    char *filter;        /* a glob that was typed; NULL: none */
    int stop;            /* of wait_open(), or -1: signals do as usual */
    bool wants_resident; /* TOP_RESIDENT, if the source can */
    bool wants_mark;     /* the next refresh is the mark */
    bool is_other;       /* the next one has other rows: of another filter */
    bool has_ended;      /* nothing will change any more */
    bool has_failed;     /* it cannot be read any more: rows are of before */
};

/* Until the end, or the user's; the exit status. Of *top only `stop` is set. */
int top_watch(struct top *top, const struct top_options *options,
              const struct top_source *source, void *context);

/* Likewise, on a terminal. */
int top_screen(struct top *top);

/* The keys, as lines of help. */
void top_write_keys(FILE *out);

/* Seconds of a clock that goes on. */
static inline double top_now(void)
{
    return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

/* Rows of a new refresh; those of the one before are gone. */
void top_rows_begin(struct top_rows *rows);
void top_rows_end(struct top_rows *rows);

/*
 * A row that is known by `key`; the n-th of one refresh with that key is the
 * n-th of the next one. Both are valid until the next row is added.
 */
struct top_row *top_rows_add(struct top_rows *rows, const char *key,
                             struct top_past **past);

/* Nothing was before: rows mean something else now. */
void top_rows_forget(struct top_rows *rows);

/* What changed in a second, whole; *past is `now` from here on. */
int64_t top_rate(int64_t now, int64_t *past, double seconds);

/* Whether rows have that column now. */
bool top_has_column(const struct top *top, size_t column);

/* In the order that is asked for. */
void top_sort(struct top *top);

/* Head, titles and rows from `first` on, at most `limit`. */
void top_write(const struct top *top, size_t first, size_t limit,
               unsigned width, FILE *out);

/* All of a row's names. */
void top_write_name(const struct top *top, const struct top_row *row,
                    FILE *out);

/* Columns of a process's or a file's accounts; see top_accounts.c. */
extern const struct word_list top_sort_words;

/* A trace of calls, and what they add up to. */
struct top_calls {
    struct trace trace;
    struct trace_sum sum;
    struct caller_modules modules;
    int stop; /* as of struct top */
};

/* `calls` NULL: it is no trace. */
int top_accounts(const struct top_options *options, const char *name,
                 struct top_calls *calls);

/* Whether `name` is a trace, or where one comes from. */
bool is_top_of_trace(const char *name);

/* Watch it; the exit status. */
int top_regions(const struct top_options *options, const char *name);
