/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_regions.h - tally top of a trace of regions, as it comes
 */
#ifndef TALLY_TOOL_COMMANDS_TOP_REGIONS_H
#define TALLY_TOOL_COMMANDS_TOP_REGIONS_H

#include <stdbool.h>

#include "tool/commands/top/top_watch.h"

/* Whether `name` is a trace, or where one comes from. */
bool is_top_of_trace(const char *name);

/* Watch it; the exit status. */
int top_regions(const struct top_options *options, const char *name);

#endif /* TALLY_TOOL_COMMANDS_TOP_REGIONS_H */
