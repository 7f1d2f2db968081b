/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.h - a report about the regions of a trace
 */
#ifndef TALLY_TOOL_COMMANDS_TRACE_REPORT_H
#define TALLY_TOOL_COMMANDS_TRACE_REPORT_H

#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/json.h"
#include "tool/render/terminal.h"

struct trace_report {
    const char *source; /* as the user named it */
    bool has_json, has_svg;
    enum terminal_color color;
    const char *foreign_option; /* one that is for call sites alone, or NULL */

    /* Filled in by trace_report(). */
    const struct regions *regions;
    struct trace_counts counts;
};

/* Report on the regions of a trace. Returns the exit status. */
int trace_report(struct trace_report *report, const struct trace_sum *sum);

/* What it has to say of the regions, within a report about calls. */
void trace_report_print_regions(const struct regions *regions,
                                enum terminal_color color);
void trace_report_write_regions(struct json *json,
                                const struct regions *regions);

#endif /* TALLY_TOOL_COMMANDS_TRACE_REPORT_H */
