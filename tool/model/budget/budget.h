/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - limits of programs, in a file that is reviewed like code
 *
 *     budgets:
 *       - program: server*
 *         rules:
 *           - peak <= 64 MiB
 *           - live "cache.c:*" <= 64 KiB
 *           - growth peak <= 5 %
 *         noise:
 *           - peak 1048576 +- 3500 of 5
 *
 * `rules`, `noise` and `program` may also stand at the top; without a program
 * they apply to all. The file is YAML and not trusted.
 *
 *     struct budget budget = { 0 };
 *     struct yaml_failure failure;
 *
 *     if (budget_read(&budget, name, fopen(name, "re"), &failure) < 0)
 *         complain(failure.where, failure.why, failure.advice);
 *     budget_close(&budget);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tool/model/names/names.h"
#include "tool/model/profile/coverage.h"
#include "tool/model/profile/profile.h"
#include "tool/model/yaml_file.h"

/* A figure of a whole program, or of the stacks that match a pattern. */
struct budget_figure {
    const char *name;
    enum measure measure;
    bool is_bytes;
    unsigned needs; /* bits by enum coverage_part */
    bool is_leaked; /* without blocks that a forked child inherited */
};

extern const struct budget_figure budget_figures[];
extern const struct word_list budget_figure_words;

enum budget_relation { BUDGET_AT_MOST, BUDGET_BELOW, BUDGET_EQUAL };

struct budget_rule {
    char *text; /* as in the file */
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

/* Read and copy the text of a rule. Return NULL, or an error text and its byte
   in *at. */
const char *budget_rule_read(struct arena *arena, struct budget_rule *rule,
                             const char *text, size_t *at);

/* Mean and deviation of a figure in several runs. */
struct budget_noise {
    const struct budget_figure *figure;
    char *pattern; /* or NULL */
    double mean, deviation;
    size_t runs;
    struct interval interval; /* of the mean; exact if several runs show how
                                 much they differ */
    bool is_of_process;       /* the run is an earlier reading of the judged
                                 process, whose interval is that of growth */
};

struct budget_entry {
    char *program; /* glob of a base name; NULL: all programs */
    struct budget_rule *rules;
    size_t rule_count;
    struct budget_noise *noise;
    size_t noise_count;
};

/* Begins as { 0 }. */
struct budget {
    struct arena *arena; /* owns all below */
    struct budget_entry *entries;
    size_t count;
};

/* Read entries from `in`, the file `name`, which must stay. Return 0 or -1;
   call budget_close() in either case. */
int budget_read(struct budget *budget, const char *name, FILE *in,
                struct yaml_failure *failure);
void budget_close(struct budget *budget);

/* Return the next entry, from `*entry` on, for a program by its path or its
   first argument `called`, which may be NULL; NULL after the last. */
const struct budget_entry *budget_next(const struct budget *budget,
                                       const char *program, const char *called,
                                       size_t *entry);

/*
 * A pattern matches each stack of the heap with a call that it matches: by
 * function, also without type and arguments, FILE:LINE (path or base name) or
 * module.
 *
 *     struct budget_subject subject = { .of.profile = profile };
 *     struct budget_sum sum;
 *
 *     budget_sum_find(&subject, rule->figure, rule->pattern, &sum);
 *     if (budget_judge(rule, &sum, NULL).state == BUDGET_BROKEN)
 *         show(sum.top);
 */

/* A finished profile, which is named once that is needed. */
struct budget_subject {
    struct named_profile of;
    struct symbols_search search;
    struct fold_rules fold;
};

struct budget_sum {
    bool is_known; /* the profile has the figure */
    double value;
    double whole; /* 100 percent */
    struct interval interval, whole_interval;
    struct profile_amounts amounts; /* of all matches */
    size_t matches;                 /* stacks or, without stacks, sites */
    size_t top; /* number of the largest match, if there is one */
    int64_t top_value;
};

/* Name the profile, unless that was done. */
void budget_subject_name(struct budget_subject *subject);

void budget_sum_find(struct budget_subject *subject,
                     const struct budget_figure *figure, const char *pattern,
                     struct budget_sum *sum);

bool budget_name_matches(const char *pattern, const struct site_name *name);

/* Return mean and deviation, without figure and pattern. */
struct budget_noise budget_noise_of(const double *values, size_t count);

/*
 * Return the tolerance for one more run: its one-sided 99.9 % prediction
 * interval, but at least 1 % and 32 KiB or 64 blocks, as equal runs do not show
 * how threads may meet in the next one. One run has that least tolerance.
 */
double budget_noise_tolerance(const struct budget_noise *noise, bool is_bytes);

enum budget_state {
    BUDGET_KEPT,
    BUDGET_BROKEN,
    BUDGET_UNMATCHED, /* kept: nothing matches its pattern */
    BUDGET_UNKNOWN,   /* the source or the baseline lacks the figure */
    BUDGET_UNSURE,    /* kept or broken within the error of sampling */
};

struct budget_verdict {
    enum budget_state state;
    double limit; /* bytes or blocks, with the tolerance */
    double over;  /* bytes or blocks above the limit; negative below */
};

/* Judge a rule. `base` is the baseline of growth; NULL unknown. */
struct budget_verdict budget_judge(const struct budget_rule *rule,
                                   const struct budget_sum *sum,
                                   const struct budget_noise *base);
