/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_sum.h - the value of a figure in a profile, and the verdict of a rule
 *
 * A pattern matches each stack of the heap with a call that it matches: by
 * function, also without type and arguments, FILE:LINE (path or base name) or
 * module.
 *
 *     struct budget_subject subject = { .profile = profile };
 *     struct budget_sum sum;
 *
 *     budget_sum_find(&subject, rule->figure, rule->pattern, &sum);
 *     if (budget_judge(rule, &sum, NULL).state == BUDGET_BROKEN)
 *         show(sum.top);
 */
#pragma once

#include "tool/model/budget/budget.h"
#include "tool/model/names/frame_names.h"

/* A finished profile, which is not owned, and its names once they are
   needed. */
struct budget_subject {
    struct profile *profile;
    struct symbols_search search;
    struct fold_rules fold;
    struct site_names *names;   /* NULL: not yet named */
    struct frame_names *frames; /* NULL: not yet named, or no stacks */
};

struct budget_sum {
    bool is_known; /* the profile has the figure */
    double value;
    double whole;   /* 100 percent */
    size_t matches; /* stacks or, without stacks, sites */
    size_t top;     /* number of the largest match, if there is one */
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
