/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_regions.h - from a source that is a trace to its regions
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_REGIONS_H
#define TALLY_TOOL_COMMANDS_OPEN_REGIONS_H

#include "tool/model/regions.h"
#include "tool/model/source.h"
#include "tool/model/trace.h"

/*
 * Read it all into an empty table. COMMAND_DONE, or COMMAND_USAGE after a
 * complaint. regions_close() in either case.
 */
int open_regions(struct source *source, const char *name, const char *elf,
                 struct regions *regions, struct trace_counts *counts);

#endif /* TALLY_TOOL_COMMANDS_OPEN_REGIONS_H */
