/* SPDX-License-Identifier: Apache-2.0 */
/* top_parts.h - parts of `tally top` */
#pragma once

#include "tool/commands/options/command.h"
#include "tool/render/render.h"
#include "tool/session/images/images.h"

/*
 * Tally top: its options, rows that keep their identity between
 * refreshes, and the screen
 *
 * A source fills rows at each refresh. A row has a cell for each column of its
 * source; drawing, sorting and choosing follow from the columns.
 */

/* Options of `tally top`. */
struct top_options {
    struct source_options of;
    double interval;    /* seconds */
    uint64_t refreshes; /* 0: until the end */
    uint64_t row_count; /* rows of plain text */
    const char *sort;   /* column's word; NULL: the source's order */
    bool has_all;
};

/* Facts that hold for all rows. */
enum top_facts {
    TOP_TOTALS = 1 << 0,
    TOP_NO_TOTALS = 1 << 1,
    TOP_PEAKS = 1 << 2,
    TOP_TEMPORARY = 1 << 3,
    TOP_RATES = 1 << 4, /* there was an earlier refresh */
    TOP_MARK = 1 << 5,
    TOP_RESIDENT = 1 << 6,
};

struct top_column {
    const char *word; /* word to sort by; NULL: not sortable */
    const char *title;
    enum figure_unit unit;
    enum table_alignment alignment;
    unsigned needs;  /* facts that the column needs */
    bool is_rate;    /* "-" without TOP_RATES */
    bool is_on_call; /* shown only while rows are sorted by it */
};

enum { TOP_COLUMNS = TABLE_COLUMNS };

union top_cell {
    int64_t number;
    const char *text; /* in the rows' pool */
};

struct top_row {
    uint32_t key;  /* number of the row's key */
    size_t number; /* number of the source */
    union top_cell cells[TOP_COLUMNS];
};

/* Earlier state of a row, kept while the row is absent. */
struct top_past {
    unsigned refresh;   /* number of the last refresh with the row */
    int64_t counted[2]; /* counters of the rates */
    int64_t resident;
    int64_t now;
    int64_t marked; /* `now` at the mark */
};

struct top_rows {
    struct top_row *rows;
    size_t count;
    unsigned refresh;
    struct text_pool texts; /* private: keys and other texts */
    struct top_past *pasts; /* private: by key */
    size_t past_count;
};

struct top;

/* A kind of source. */
struct top_source {
    const struct top_column *columns;
    size_t column_count;
    size_t head_lines; /* lines above the rows, with the titles */

    /* Read the source, and set facts and rows. Return COMMAND_DONE, a status
       after a complaint, or COMMAND_GO_ON for another source. */
    int (*refresh)(struct top *top);
    /* `first` and `end` bound the rows that follow. */
    void (*write_head)(const struct top *top, size_t first, size_t end,
                       FILE *out);
    /* Write the details of a row; or NULL. */
    void (*write_row)(const struct top *top, size_t number, FILE *out);
    /* Write a line for each process to choose from; return the number of the
       watched one. NULL: no choice. */
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
    char *filter;        /* typed glob; NULL: none */
    int stop;            /* of wait_open(), or -1: default signals */
    bool wants_resident; /* TOP_RESIDENT is wanted */
    bool wants_mark;     /* set the mark at the next refresh */
    bool is_other;       /* another filter: the next refresh has other rows */
    bool has_ended;      /* no more changes */
    bool has_failed;     /* no longer readable: rows are old */
};

/* Refresh until the source or the user ends; return the exit status. Only
   `stop` of *top is set. */
int top_watch(struct top *top, const struct top_options *options,
              const struct top_source *source, void *context);

/* Show the screen on a terminal; return the exit status. */
int top_screen(struct top *top);

/* Write the keys as lines of help. */
void top_write_keys(FILE *out);

/* Return the seconds of a monotonic clock. */
static inline double top_now(void)
{
    return (double)clock_ns(CLOCK_MONOTONIC) / 1e9;
}

/* Start the rows of a new refresh; drop the earlier ones. */
void top_rows_begin(struct top_rows *rows);
void top_rows_end(struct top_rows *rows);

/*
 * Add a row; the n-th row of a key in one refresh is the n-th in the next. The
 * row and *past are valid until the next row is added.
 */
struct top_row *top_rows_add(struct top_rows *rows, const char *key,
                             struct top_past **past);

/* Forget the earlier rows: rows mean something else now. */
void top_rows_forget(struct top_rows *rows);

/* Return the change per second, rounded, and set *past to `now`. */
int64_t top_rate(int64_t now, int64_t *past, double seconds);

/* Return true if rows have that column now. */
bool top_has_column(const struct top *top, size_t column);

/* Sort the rows in the chosen order. */
void top_sort(struct top *top);

/* Write head, titles and at most `limit` rows from `first` on. */
void top_write(const struct top *top, size_t first, size_t limit,
               unsigned width, FILE *out);

/* Write all names of a row. */
void top_write_name(const struct top *top, const struct top_row *row,
                    FILE *out);

/* Columns of a process's or a file's accounts; see top_accounts.c. */
extern const struct word_list top_sort_words;

/* Trace of calls, with its sums. */
struct top_calls {
    struct trace trace;
    struct trace_sum sum;
    struct caller_modules modules;
    int stop; /* as of struct top */
};

/* Show a process, a file or, with `calls`, a trace of calls. */
int top_accounts(const struct top_options *options, const char *name,
                 struct top_calls *calls);

/* Return true if `name` is a trace, or a source of one. */
bool is_top_of_trace(const char *name);

/* Show a trace; return the exit status. */
int top_regions(const struct top_options *options, const char *name);

/*
 * Read the process or file that `tally top` watches
 */

struct top_load {
    const struct source_options *of;
    bool has_all;
    bool has_residency;      /* read residency */
    bool is_live;            /* a process, not a file */
    struct top_calls *calls; /* for a trace, or NULL */
    bool has_ended;          /* no more changes */
    bool was_read;           /* read before */
    char *name;              /* a pid, or a path */
    char *first;             /* file beside which other images lie */
    bool is_most;            /* chosen because it held most, not by name */
    struct live_ledger ledger;
    struct ledger_snapshot last;         /* last reading */
    double resident_due;                 /* time of the next residency */
    struct session_failure no_residency; /* reason for no residency, or "" */
};

/* Open a source; `name` NULL: the newest recording of this user. Return
   COMMAND_DONE, or a status after a complaint. */
int top_load_open(struct top_load *load, const char *name);
void top_load_close(struct top_load *load);

/* Return the current finished profile; NULL after a complaint. */
struct profile *top_load_read(struct top_load *load);

/* Processes, or images, of the same recording, by name. */
struct top_names {
    char **names;
    size_t count;
};

void top_load_find(const struct top_load *load, struct top_names *names);
void top_names_close(struct top_names *names);

/* Watch another of them from now on; return false if it is gone. */
bool top_load_take(struct top_load *load, const char *name);
