/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_write.h - two sources compared, and what is written of them
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_WRITE_H
#define TALLY_TOOL_COMMANDS_DIFF_WRITE_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/compare/comparison.h"
#include "tool/model/compare/stack_comparison.h"
#include "tool/model/profile/estimate.h"
#include "tool/render/terminal.h"

struct diff {
    /* What is asked for. */
    const char *names[2]; /* before and after, as the user named them */
    bool has_json;
    size_t row_limit;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    enum terminal_color color;

    /* What was found. */
    const struct profile *profiles[2];
    int64_t slab_bytes[2];                 /* that a kernel counts twice */
    const struct comparison *comparison;   /* sorted */
    const struct stack_comparison *stacks; /* NULL: not known on both sides */
    bool is_lossy; /* a source lacks data or was read while it changed */
    bool is_exceeded;
};

/* To stdout. */
void diff_write_text(const struct diff *diff);
void diff_write_json(const struct diff *diff);

#endif /* TALLY_TOOL_COMMANDS_DIFF_WRITE_H */
