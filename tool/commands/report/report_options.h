/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_options.h - what tally report is asked for
 */
#ifndef TALLY_TOOL_COMMANDS_REPORT_OPTIONS_H
#define TALLY_TOOL_COMMANDS_REPORT_OPTIONS_H

#include <stdbool.h>

#include "format/text/allocinfo_filter.h"
#include "tool/commands/options/elf_option.h"
#include "tool/commands/options/options.h"
#include "tool/commands/options/site_order.h"
#include "tool/commands/report/report.h"
#include "tool/commands/report/trace_report.h"
#include "tool/model/names/site_sum.h"
#include "tool/symbols/symbols.h"

struct report_options {
    const char *source;
    const struct site_order *order;
    struct option_rows rows;
    bool has_json;
    bool is_indexed; /* --json=indexed */
    bool has_svg;
    bool has_all;
    struct site_sum sum;
    bool has_regions;
    bool has_sizes;
    enum report_view view;
    const char *view_option; /* "--peak" and so on; NULL without */
    const char *callers_of;
    bool is_reverse;
    struct allocinfo_filter filter;
    struct symbols_search search;
    enum terminal_color color;
    struct elf_option elf;        /* if the source is a trace */
    struct trace_report of_trace; /* ... of regions alone */
};

/* COMMAND_GO_ON, or how the command ends. */
int report_options_parse(int argc, char **argv, struct report_options *options);

#endif /* TALLY_TOOL_COMMANDS_REPORT_OPTIONS_H */
