/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_rule.h - a rule, such as: growth peak "a*" <= 5 %
 *
 *     struct budget_rule rule = { 0 };
 *     size_t at;
 *     const char *why = budget_rule_read(&rule, "leaks = 0", &at);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/profile/measure.h"
#include "tool/tables/arena.h"

/* A figure of a whole program, or of the stacks that match a pattern. */
struct budget_figure {
    const char *name;
    enum measure measure;
    bool is_bytes;
};

extern const struct budget_figure budget_figures[];
extern const struct word_list budget_figure_words;

enum budget_relation { BUDGET_AT_MOST, BUDGET_BELOW, BUDGET_EQUAL };

struct budget_rule {
    struct arena *arena; /* of its texts; NULL: the heap */
    char *text;          /* as in the file */
    const struct budget_figure *figure;
    char *pattern;  /* glob of a function, FILE:LINE or module in the stack;
                      NULL: the whole program */
    bool is_growth; /* limits the growth since a baseline */
    enum budget_relation relation;
    double bound;
    bool is_percent;  /* of the baseline; without growth of the program's
                        figure; of temporary blocks, of allocated blocks */
    const char *file; /* name of the budget, as given */
    size_t line;
};

/* Mean and deviation of a figure in several runs. */
struct budget_noise {
    struct arena *arena; /* of its pattern; NULL: the heap */
    const struct budget_figure *figure;
    char *pattern; /* or NULL */
    double mean, deviation;
    size_t runs;
};

/*
 * Read and copy the text of a rule or a noise. Return NULL, or an error text,
 * with its byte in *at.
 */
const char *budget_rule_read(struct budget_rule *rule, const char *text,
                             size_t *at);
const char *budget_noise_read(struct budget_noise *noise, const char *text,
                              size_t *at);
