/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answers.h - questions to a fleet's store, and the answers
 *
 * The last matching snapshot of each process counts. docs/fleet.md has the
 * queries.
 */
#pragma once

#include "tool/fleet/clickhouse.h"
#include "tool/text/text.h"

enum fleet_figure {
    FLEET_TEXT,
    FLEET_NUMBER,
    FLEET_GROWTH,
    FLEET_STACK, /* number of a stack; its name is the next column */
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
};

enum { FLEET_COLUMNS = 8 };

struct fleet_answer {
    struct fleet_processes processes;
    struct fleet_column columns[FLEET_COLUMNS];
    size_t column_count, row_limit;
    char **cells; /* row by row */
    size_t cell_count;
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

/* Write all stacks with their names, for load_stack_lines.h. */
int fleet_stacks(struct clickhouse *server,
                 const struct fleet_question *question, FILE *out);

void fleet_answer_free(struct fleet_answer *answer);
