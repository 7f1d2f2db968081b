/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_lines.h - rows of one call are of one line
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_LINES_H
#define TALLY_TOOL_COMMANDS_DIFF_LINES_H

#include "tool/commands/diff/diff_side.h"
#include "tool/model/compare/stack_comparison.h"

/*
 * Give the rows that are wanted of both sides, where their call is the same, one
 * file and line: those of the later side. 0, or -1 without memory.
 */
int diff_match_lines(const struct stack_comparison *stacks,
                     struct diff_side sides[2]);

#endif /* TALLY_TOOL_COMMANDS_DIFF_LINES_H */
