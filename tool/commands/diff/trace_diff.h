/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff.h - two traces compared, region by region
 */
#ifndef TALLY_TOOL_COMMANDS_TRACE_DIFF_H
#define TALLY_TOOL_COMMANDS_TRACE_DIFF_H

#include "tool/model/compare/region_comparison.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/terminal.h"

struct trace_diff {
    const char *names[2]; /* before and after, as the user named them */
    bool has_json;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    enum terminal_color color;
    const char *foreign_option; /* one that is for call sites alone, or NULL */

    /* Filled in by trace_diff(). */
    const struct region_comparison *comparison;
    size_t counts[2]; /* of regions */
    bool is_lossy;
    bool is_exceeded; /* by what is used at the end, or by the peaks */
};

/* Compare the regions of two traces. Returns the exit status. */
int trace_diff(struct trace_diff *diff, const struct trace_sum sums[2]);

#endif /* TALLY_TOOL_COMMANDS_TRACE_DIFF_H */
