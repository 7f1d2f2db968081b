/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exporter.h - a profile or a trace, written for somebody else's viewer
 *
 * To add a format: write one file with one struct exporter, name it in the list
 * of exporters.c, and give it cases in tests/cli/export.
 */
#ifndef TALLY_TOOL_EXPORTERS_EXPORTER_H
#define TALLY_TOOL_EXPORTERS_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tool/model/profile.h"
#include "tool/model/site_names.h"
#include "tool/model/trace.h"
#include "tool/model/trace_names.h"

/* What the weight of a place is. */
enum export_value {
    EXPORT_LIVE_BYTES,
    EXPORT_LIVE_BLOCKS,
    EXPORT_TOTAL_BYTES,
    EXPORT_TOTAL_BLOCKS,
    EXPORT_VALUE_COUNT,
};

struct export_job {
    const struct profile *profile; /* finished */
    const struct site_names *names;
    enum export_value value;
    const char *title; /* what the source is called */
};

struct export_result {
    size_t negative; /* places left out because their value is below 0 */
};

struct exporter {
    const char *name;    /* `tally export --to NAME` */
    const char *summary; /* one line for --help */
    /*
     * NULL: not for profiles. 0, or -1 without memory; write errors stay in the
     * FILE.
     */
    int (*write)(const struct export_job *job, FILE *out,
                 struct export_result *result);
    /*
     * NULL: not for traces. Read the trace and write it. 0, or -1 with the
     * reason; without an event nothing is written.
     */
    int (*write_trace)(struct trace *trace, struct trace_names *names,
                       FILE *out, struct source_failure *failure);
};

extern const struct exporter exporter_folded;
extern const struct exporter exporter_svg;
extern const struct exporter exporter_tef;

/* All of them, ended by NULL. */
extern const struct exporter *const exporter_list[];

/* "live-bytes" and so on; EXPORT_VALUE_COUNT for an unknown name. */
const char *export_value_name(enum export_value value);
enum export_value export_value_find(const char *name);

/* Whether it asks for more than live values. */
bool export_value_needs_totals(enum export_value value);

#endif /* TALLY_TOOL_EXPORTERS_EXPORTER_H */
