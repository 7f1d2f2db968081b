/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql.h - queries with gaps, from sql/NAME.sql
 *
 * A gap, "{name}", is filled with its text, or with another of these files,
 * whose gaps are filled, too. Text of users must be quoted: clickhouse_quote().
 *
 *     struct sql sql = { .texts = { [SQL_BY] = "host", [SQL_LIMIT] = "20" } };
 *     char *question = sql_fill(&sql, sql_top);
 */
#pragma once

#include <stdio.h>

#define SQL_GAPS(X) \
    X(filter)       \
    X(choice)       \
    X(label)        \
    X(before)       \
    X(after) X(by) X(value) X(limit) X(which) X(also)

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
    sql_stacks[], sql_calls[];

/* Open a stream whose content becomes *text, for free(), when it is closed. */
FILE *sql_open(char **text);
void sql_close(FILE *out);

/* Fill the gaps of a query; return it, for free(). */
char *sql_fill(const struct sql *sql, const char *question);
