/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a trace as the lines that devices print: mem_trace's, and ZPL's
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>

#include "tool/model/trace/trace_program.h"
#include "tool/model/trace/trace_text.h"

static void write_sampling(const struct trace *trace, FILE *out)
{
    struct trace_program program = trace_program_find(trace);

    if (program.sample_interval != 0)
        fprintf(out, "#sampled:%" PRIu64 "\n", program.sample_interval);
    trace_program_close(&program);
}

static int write_text(struct trace *trace, struct trace_names *names,
                      const struct export_files *files,
                      struct source_failure *failure)
{
    char line[TRACE_TEXT_LONGEST];
    struct trace_event event;
    bool is_first = true;
    int got;

    (void)names; /* no line has room for one */
    while ((got = trace_next(trace, &event, failure)) > 0) {
        if (is_first && event.kind == TRACE_EVENT_CALL)
            write_sampling(trace, files->out);
        is_first = false;
        fwrite(line, 1, trace_text_write(line, &event), files->out);
    }
    return got;
}

const struct exporter exporter_text = {
    .name = "text",
    .summary = "of a trace: the lines of Mbed OS mem_trace, or of ZPL",
    .write_trace = write_text,
};
