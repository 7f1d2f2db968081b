/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.h - the one line that says what is wrong
 *
 *     tally: WHAT: WHY; WHAT TO DO
 */
#ifndef TALLY_TOOL_COMMANDS_COMPLAINT_H
#define TALLY_TOOL_COMMANDS_COMPLAINT_H

#include "tool/commands/options/command.h"
#include "tool/model/sources/source.h"

/* Each prints its line on stderr and returns COMMAND_USAGE. */
int complain(const char *what, const char *why, const char *advice);
int complain_in_full(const char *line); /* WHAT: WHY; WHAT TO DO in one */
int complain_of_memory(const char *what);
int complain_about_source(const char *name,
                          const struct source_failure *failure);

#endif /* TALLY_TOOL_COMMANDS_COMPLAINT_H */
