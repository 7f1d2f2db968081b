/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a trace as the lines that devices print: mem_trace's, and ZPL's
 */
#include "tool/exporters/exporter.h"
#include "tool/model/trace_text.h"

static int write_text(struct trace *trace, struct trace_names *names,
                      const struct export_files *files,
                      struct source_failure *failure)
{
    char line[TRACE_TEXT_LONGEST];
    struct trace_event event;
    int got;

    (void)names; /* no line has room for one */
    while ((got = trace_next(trace, &event, failure)) > 0)
        fwrite(line, 1, trace_text_write(line, &event), files->out);
    return got;
}

const struct exporter exporter_text = {
    .name = "text",
    .summary = "of a trace: the lines of Mbed OS mem_trace, or of ZPL",
    .write_trace = write_text,
};
