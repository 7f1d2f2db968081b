/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.c - tally report, of a trace
 */
#include "tool/commands/report/trace_report.h"

#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/trace_losses.h"
#include "tool/render/region_svg.h"

static int write_report(const struct trace_report *report)
{
    switch (report->form) {
    case TRACE_REPORT_JSON:
        return trace_report_write_json(report);
    case TRACE_REPORT_SVG:
        return region_svg_write(stdout, report->regions, report->source);
    default:
        return trace_report_write_text(report);
    }
}

int trace_report(struct trace_report *report, const struct trace_sum *sum)
{
    if (report->foreign_option != NULL)
        return trace_refuse_option(report->foreign_option);
    report->regions = &sum->regions;
    report->counts = sum->counts;
    if (report->form != TRACE_REPORT_TEXT)
        trace_tell_losses(report->source, &report->counts);
    if (write_report(report) < 0)
        return complain_of_memory("report");
    return COMMAND_DONE;
}
