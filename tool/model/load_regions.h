/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_regions.h - the events of a trace, added up by region
 */
#ifndef TALLY_TOOL_MODEL_LOAD_REGIONS_H
#define TALLY_TOOL_MODEL_LOAD_REGIONS_H

#include "tool/model/regions.h"
#include "tool/model/trace.h"
#include "tool/model/trace_names.h"

/*
 * Read the rest of the trace into an empty table, finish it and name what is in
 * it. 0, or -1 with the reason in `failure`.
 */
int load_regions(struct trace *trace, struct trace_names *names,
                 struct regions *regions, struct source_failure *failure);

/* Name regions that were read otherwise. 0, or -1 without memory. */
int name_regions(struct trace_names *names, struct regions *regions);

#endif /* TALLY_TOOL_MODEL_LOAD_REGIONS_H */
