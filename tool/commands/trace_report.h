/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.h - a report about a trace, worked out and not yet written
 *
 * trace_report.c loads; trace_report_text.c and trace_report_json.c write.
 */
#ifndef TALLY_TOOL_COMMANDS_TRACE_REPORT_H
#define TALLY_TOOL_COMMANDS_TRACE_REPORT_H

#include "tool/model/regions.h"
#include "tool/model/source.h"
#include "tool/model/trace.h"
#include "tool/render/terminal.h"

enum trace_report_form {
    TRACE_REPORT_TEXT,
    TRACE_REPORT_JSON,
    TRACE_REPORT_SVG,
};

struct trace_report {
    const char *source; /* as the user named it */
    const char *elf;    /* NULL: as the trace says */
    enum trace_report_form form;
    enum terminal_color color;
    const char *foreign_option; /* one that is for call sites alone, or NULL */

    /* Filled in by trace_report(). */
    const struct regions *regions;
    struct trace_counts counts;
};

/* Whether its own options were given. */
bool trace_report_is_asked_for(const struct trace_report *report);

/* Report on a source that is a trace. Returns the exit status. */
int trace_report(struct trace_report *report, struct source *source);

/* All write to stdout; -1 without memory. */
int trace_report_write_text(const struct trace_report *report);
int trace_report_write_json(const struct trace_report *report);

#endif /* TALLY_TOOL_COMMANDS_TRACE_REPORT_H */
