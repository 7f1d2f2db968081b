/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_sum.h - what a figure is in a profile, and whether a rule is kept
 *
 * A pattern takes each stack of the heap in which any call is like it: its
 * function, also without type and arguments, FILE:LINE (the path, or its base
 * name) or module.
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

/* A finished profile, which is the caller's, and its names once they are
   needed. */
struct budget_subject {
    struct profile *profile;
    struct symbols_search search;
    struct fold_rules fold;     /* of who is to blame */
    struct site_names *names;   /* NULL: not yet */
    struct frame_names *frames; /* likewise, or it has no stacks */
};

struct budget_sum {
    bool is_known; /* the profile tells the figure */
    double value;
    double whole;   /* what a percentage is of */
    size_t matches; /* stacks, or sites of a profile without stacks */
    size_t top;     /* of these the one that has most, if there are any */
    int64_t top_value;
};

/* Look for names, unless that was done. */
void budget_subject_name(struct budget_subject *subject);

void budget_sum_find(struct budget_subject *subject,
                     const struct budget_figure *figure, const char *pattern,
                     struct budget_sum *sum);

bool budget_name_matches(const char *pattern, const struct site_name *name);

/* Mean and deviation; the figure and the pattern are the caller's. */
struct budget_noise budget_noise_of(const double *values, size_t count);

/*
 * By how much one more run may differ by chance: the interval that predicts it
 * from the others, of 99.9 % to one side, and at least 1 % and 32 KiB, or 64
 * blocks: runs that were the same do not tell how threads may meet in the next
 * one. Of one run only that least is known.
 */
double budget_noise_tolerance(const struct budget_noise *noise, bool is_bytes);

enum budget_state {
    BUDGET_KEPT,
    BUDGET_BROKEN,
    BUDGET_UNMATCHED, /* kept, for nothing is like its pattern */
    BUDGET_UNKNOWN,   /* the source, or the baseline, does not tell */
};

struct budget_verdict {
    enum budget_state state;
    double limit; /* in bytes or blocks, with what noise allows */
    double over;  /* what is above it; below it if it is under 0 */
};

/* `base`: what growth starts from; NULL: that is not known. */
struct budget_verdict budget_judge(const struct budget_rule *rule,
                                   const struct budget_sum *sum,
                                   const struct budget_noise *base);
