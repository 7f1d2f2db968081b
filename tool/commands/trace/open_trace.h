/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_trace.h - from a source that is a trace to what it adds up to, and what
 * of it is missing
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_TRACE_H
#define TALLY_TOOL_COMMANDS_OPEN_TRACE_H

#include "tool/commands/options/options.h"
#include "tool/model/profile/profile.h"
#include "tool/model/source.h"
#include "tool/model/trace/trace_sum.h"

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

/*
 * Read it all into an empty sum. COMMAND_DONE, or COMMAND_USAGE after a
 * complaint. trace_sum_close() in either case.
 */
int open_trace_sum(struct source *source, const char *name,
                   const struct elf_option *elf, struct trace_sum *sum);

/*
 * Add the calls in a sum to the profile, by caller. COMMAND_DONE, or
 * COMMAND_USAGE after a complaint.
 */
int open_calls(const struct trace_sum *sum, const char *name,
               const struct elf_option *elf, struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_OPEN_TRACE_H */
