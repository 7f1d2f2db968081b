/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - two sources compared, and not yet written
 *
 * diff.c parses, loads and compares; diff_text.c and diff_json.c write.
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_H
#define TALLY_TOOL_COMMANDS_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/compare/comparison.h"
#include "tool/model/compare/stack_comparison.h"
#include "tool/model/profile/estimate.h"
#include "tool/render/terminal.h"

struct diff {
    const char *before_name; /* as the user named them */
    const char *after_name;
    const struct profile *profiles[2];
    int64_t slab_bytes[2];                 /* that a kernel counts twice */
    const struct comparison *comparison;   /* sorted */
    const struct stack_comparison *stacks; /* NULL: not known on both sides */
    bool is_lossy; /* a source lacks data or was read while it changed */
    size_t row_limit;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    bool is_exceeded;
    enum terminal_color color;
};

/* Both write to stdout; -1 without memory. */
int diff_write_text(const struct diff *diff);
int diff_write_json(const struct diff *diff);

/* What live amounts, 0 before, 1 after, and their growth may be. */
struct interval diff_interval(const struct diff *diff, unsigned side,
                              const struct comparison_amounts *amounts,
                              bool is_bytes);
struct interval diff_growth_interval(const struct diff *diff,
                                     const struct comparison_amounts *before,
                                     const struct comparison_amounts *after,
                                     bool is_bytes);

/* Parts of them: what changed, stack by stack. */
int diff_write_stacks(const struct diff *diff);
struct json;
int diff_write_stacks_json(struct json *json, const struct diff *diff);

#endif /* TALLY_TOOL_COMMANDS_DIFF_H */
