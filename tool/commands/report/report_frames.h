/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_frames.h - frames that have no name, why, and what would give them one
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_FRAMES_H
#define TALLY_TOOL_COMMANDS_REPORT_FRAMES_H

#include "tool/commands/report/report.h"
#include "tool/render/json.h"

/* How many places of stacks have no name; 0 without stacks. */
size_t report_frames_unresolved(const struct report *report);

/* A line for each of the modules with most of them. */
void report_frames_write_unresolved(const struct report *report);

/* The same for modules without unwind tables, in whose code stacks end. */
void report_frames_write_cut(const struct report *report);

/* All of them, as "modules_without_unwind_tables". */
void report_frames_write_cut_json(struct json *json,
                                  const struct report *report);

#endif /* TALLY_TOOL_COMMANDS_REPORT_FRAMES_H */
