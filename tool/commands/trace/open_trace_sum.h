/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_trace_sum.h - from a source that is a trace to what it adds up to
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_TRACE_SUM_H
#define TALLY_TOOL_COMMANDS_OPEN_TRACE_SUM_H

#include "tool/commands/options/elf_option.h"
#include "tool/model/profile/profile.h"
#include "tool/model/sources/source.h"
#include "tool/model/trace/trace_sum.h"

/*
 * Read it all into an empty sum. COMMAND_DONE, or COMMAND_USAGE after a complaint.
 * trace_sum_close() in either case.
 */
int open_trace_sum(struct source *source, const char *name,
                   const struct elf_option *elf, struct trace_sum *sum);

/*
 * Add the calls in a sum to the profile, by caller. COMMAND_DONE, or
 * COMMAND_USAGE after a complaint.
 */
int open_calls(const struct trace_sum *sum, const char *name,
               const struct elf_option *elf, struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_OPEN_TRACE_SUM_H */
