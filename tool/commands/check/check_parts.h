/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_parts.h - tally check: sources, baselines and results of rules
 */
#pragma once

#include "tool/commands/load/load.h"
#include "tool/model/budget/budget.h"
#include "tool/render/result.h"

/* A recording and its figures. Begins as zero. */
struct check_source {
    struct source_load load;
    const char *program; /* path; "" unknown */
    char *called;        /* argv[0]; NULL unknown */
    struct budget_subject subject;
};

struct check {
    struct source_options of; /* the first member, as options.h wants it */
    struct budget budget;
    const char **budget_files; /* as given */
    size_t budget_count;
    struct check_source *baselines;
    size_t baseline_count;
    struct result_list list;
    unsigned form;
    bool learns;
    const char *output;
    bool is_forced;
};

/* Add a result for each rule of the source's program. */
void check_rules(struct check *check, struct check_source *source);

/* Return mean and deviation in all baselines of a program; runs 0: none. */
struct budget_noise check_noise(struct check *check, const char *program,
                                const struct budget_figure *figure,
                                const char *pattern);
