/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff.h - two traces compared, region by region
 */
#ifndef TALLY_TOOL_COMMANDS_TRACE_DIFF_H
#define TALLY_TOOL_COMMANDS_TRACE_DIFF_H

#include "tool/commands/diff/diff_write.h"
#include "tool/model/trace/trace_sum.h"

/*
 * Compare the regions of two traces as `diff` asks. `foreign_option` is one
 * that is for call sites alone, or NULL. Returns the exit status.
 */
int trace_diff(struct diff *diff, const char *foreign_option,
               const struct trace_sum sums[2]);

#endif /* TALLY_TOOL_COMMANDS_TRACE_DIFF_H */
