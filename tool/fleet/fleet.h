/* SPDX-License-Identifier: Apache-2.0 */
/* fleet.h - store of profiles in ClickHouse */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool/model/profile/profile.h"
#include "tool/symbols/lookup.h"
#include "tool/text/text.h"

/*
 * Queries with gaps, from sql/NAME.sql
 *
 * A gap, "{name}", is filled with its text, or with another of these files,
 * whose gaps are filled, too. Text of users must be quoted: clickhouse_quote().
 *
 *     struct sql sql = { .texts = { [SQL_BY] = "host", [SQL_LIMIT] = "20" } };
 *     char *question = sql_fill(&sql, sql_top);
 */

#define SQL_GAPS(X) \
    X(filter)       \
    X(choice)       \
    X(label)        \
    X(before)       \
    X(after) X(by) X(value) X(error) X(unit) X(live) X(limit) X(which) X(also)

enum sql_gap {
#define SQL_GAP(name) SQL_##name,
    SQL_GAPS(SQL_GAP)
#undef SQL_GAP
        SQL_GAP_COUNT
};

struct sql {
    char *texts[SQL_GAP_COUNT]; /* NULL: empty */
    const char *latest, *rows;  /* names of the files */
};

extern const char sql_rows[], sql_called[], sql_twins[], sql_samples[],
    sql_latest[], sql_latest_of_days[], sql_latest_of_sides[], sql_top[],
    sql_days[], sql_outliers[], sql_versions[], sql_newest[], sql_older[],
    sql_labelled[], sql_sides[], sql_diff[], sql_names[], sql_note[],
    sql_stacks[], sql_calls[], sql_owners[], sql_sums[], sql_changes[];

/* Open a stream whose content becomes *text, for free(), when it is closed. */
FILE *sql_open(char **text);
void sql_close(FILE *out);

/* Fill the gaps of a query; return it, for free(). */
char *sql_fill(const struct sql *sql, const char *question);

/*
 * A ClickHouse server, by its HTTP interface
 *
 *     clickhouse[s]://[USER[:PASSWORD]@]HOST:PORT[,HOST:PORT]...[/DATABASE]
 *
 * A request without an answer goes to the next server, and again after a pause:
 * so requests must be idempotent.
 */

enum { CLICKHOUSE_HOSTS = 64 };

struct clickhouse {
    struct http_client *client;
    const char *user, *password;         /* NULL: none */
    const char *hosts[CLICKHOUSE_HOSTS]; /* "HOST:PORT" */
    size_t host_count;
    size_t host; /* next host to ask */
    const char *database;
    const char *scheme;
    unsigned patience; /* seconds of retries */
    char *parts;       /* split address */
    unsigned version;  /* major version; 0: unknown yet */
    char why[600];     /* reason for the last failure */
};

/* Take a tab-separated row of an answer; return false if it is unexpected. */
typedef bool clickhouse_row_fn(void *context, char *row);

/* Open a server by its address. Return NULL, or the error: an invalid address,
   or a missing library. The password may be NULL. */
const char *clickhouse_open(struct clickhouse *server, const char *address,
                            const char *password);
void clickhouse_close(struct clickhouse *server);

/* Run `sql` and pass each row of the answer to a function. Return 0, or -1 with
   server->why. */
int clickhouse_ask(struct clickhouse *server, const char *sql,
                   clickhouse_row_fn *row, void *context);

/* Insert tab-separated rows into a table. */
int clickhouse_insert(struct clickhouse *server, const char *table,
                      const char *rows, size_t size);

/* Write a string of SQL, with its quotes. */
void clickhouse_quote(FILE *sql, const char *text);

/* Return true for letters, digits and underscores, which need no quotes. */
bool clickhouse_is_name(const char *text);

/*
 * The tables of a fleet's store
 *
 * docs/fleet.md shows them. Equal rows of one key count once. The server merges
 * them at any time, so queries must group them.
 */

/*
 * Make the database and its missing tables on each server of the address;
 * replicated unless `cluster` is NULL. Drop rows older than `days` now, and by
 * the server's time-to-live if it has one. Return 0 or -1.
 */
int schema_make(struct clickhouse *server, const char *cluster,
                uint64_t keep_days);

/*
 * Questions to a fleet's store, and the answers
 *
 * The last matching snapshot of each process counts. docs/fleet.md has the
 * queries.
 */

enum fleet_figure {
    FLEET_TEXT,
    FLEET_NUMBER,
    FLEET_GROWTH,
    FLEET_STACK,    /* number of a stack; its name is the next column */
    FLEET_ESTIMATE, /* number with an interval: live bytes, and then */
    FLEET_LIVE_BLOCKS,
    FLEET_TOTAL_BYTES,
};

struct fleet_column {
    const char *key, *title;
    enum fleet_figure figure;
};

/* Filters of a query; NULL and 0: all. */
struct fleet_question {
    const char *service, *version, *host, *label; /* label: KEY=VALUE */
    const char *stack;                            /* number of a stack */
    const char *from, *to;                        /* compared versions */
    uint64_t since;   /* or compared time, in seconds since 1970 */
    uint64_t seconds; /* age of the oldest snapshot, in seconds */
    unsigned by;      /* index in fleet_by_words */
    unsigned value;   /* index in fleet_value_words */
    size_t limit;
};

/* Processes of an answer; figures are estimates if one was sampled. */
struct fleet_processes {
    uint64_t count, sampled, hosts;
    uint64_t interval; /* most bytes between samples */
};

enum { FLEET_COLUMNS = 8, FLEET_ERRORS = 7 };

struct fleet_answer {
    struct fleet_processes processes;
    struct fleet_column columns[FLEET_COLUMNS];
    unsigned value; /* of growth: index in fleet_value_words */
    size_t column_count, row_limit;
    char **cells; /* row by row */
    size_t cell_count;
    double
        *errors; /* FLEET_ERRORS a row: variances of its numbers, what samples
                       met of them, and how many are estimates; of growth what
                       is gone, its variance, what is new, its variance */
    size_t error_count; /* 0: none */
};

extern const struct word_list fleet_by_words, fleet_value_words;

enum fleet_answer_kind {
    FLEET_TOP,
    FLEET_OUTLIERS, /* hosts with more than three times the median of a stack */
    FLEET_DIFF,     /* by process; without sides: since the last release */
    FLEET_DAYS,     /* last values of each day */
};

/* Ask a question. Return 0, or -1 with server->why. */
int fleet_ask(struct clickhouse *server, enum fleet_answer_kind kind,
              const struct fleet_question *question,
              struct fleet_answer *answer);

/* Return the interval of a number or of growth; both bounds are the number if
   it is exact. */
struct interval fleet_interval(const struct fleet_answer *answer, size_t row,
                               size_t column);

/* Write all stacks with their names, for load_stack_lines.h. */
int fleet_stacks(struct clickhouse *server,
                 const struct fleet_question *question, FILE *out);

void fleet_answer_free(struct fleet_answer *answer);

/*
 * Turn profiles into rows, and send rows in large batches
 *
 * A snapshot counts once, even if it is sent again: its number is a hash of its
 * content, and its own row, without which its others do not count, is sent
 * last.
 */

/* Owner of a snapshot. */
struct snapshot_owner {
    const char *service, *version, *host;
    const char *const *labels; /* KEY=VALUE */
    size_t label_count;
};

/* Numbers of sent rows. */
struct batch_counts {
    uint64_t samples, snapshots;
};

struct batch;

struct batch *batch_open(struct clickhouse *server,
                         const struct symbols_search *search);
struct batch_counts batch_close(struct batch *batch);

/* Add a finished profile of one image, with stacks, at a time in ns since 1970.
   Return 0, or -1 with the server's reason. */
int batch_add(struct batch *batch, const struct snapshot_owner *owner,
              const struct profile *profile, uint64_t ns);

/* Send the rows that are left. */
int batch_flush(struct batch *batch);
