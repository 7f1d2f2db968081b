/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.c - tally report, of a trace
 */
#include "tool/commands/trace_report.h"

#include <stdio.h>

#include "tool/commands/complaint.h"
#include "tool/commands/open_regions.h"
#include "tool/commands/trace_losses.h"
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

bool trace_report_is_asked_for(const struct trace_report *report)
{
    return report->elf != NULL || report->form == TRACE_REPORT_SVG;
}

static int refuse_option(const char *name)
{
    char option[64];

    snprintf(option, sizeof option, "--%s", name);
    return complain(option, "a trace has no call sites", "leave it out");
}

int trace_report(struct trace_report *report, struct source *source)
{
    struct regions regions = { 0 };
    int status;

    if (report->foreign_option != NULL)
        return refuse_option(report->foreign_option);
    status = open_regions(source, report->source, report->elf, &regions,
                          &report->counts);
    report->regions = &regions;
    if (status == COMMAND_DONE && report->form != TRACE_REPORT_TEXT)
        trace_tell_losses(report->source, &report->counts);
    if (status == COMMAND_DONE && write_report(report) < 0)
        status = complain("report", "there is not enough memory",
                          "free some and try again");
    regions_close(&regions);
    return status;
}
