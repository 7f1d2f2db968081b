/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_trace.h - what a trace lacks, in one line
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_TRACE_H
#define TALLY_TOOL_COMMANDS_OPEN_TRACE_H

#include "tool/model/trace/trace.h"

enum { TRACE_LOSSES_SIZE = 256 };

/*
 * "skipped 37 bytes in 2 places, the first at byte 40; the program lost 3
 * events"; "" when nothing is missing.
 */
const char *trace_losses(char out[TRACE_LOSSES_SIZE],
                         const struct trace_counts *counts);

/*
 * After the last event: COMMAND_DONE, or COMMAND_USAGE after a complaint that
 * there was none. A file without a byte may be a trace of none: a line on
 * standard error says that it was taken for one.
 */
int trace_check(const char *name, const struct trace_counts *counts);

/* COMMAND_USAGE, after a complaint about an option that is for call sites. */
int trace_refuse_option(const char *name);

/* Tell of losses on standard error, if there are any. */
void trace_tell_losses(const char *name, const struct trace_counts *counts);

#endif /* TALLY_TOOL_COMMANDS_OPEN_TRACE_H */
