/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - write a trace as the lines that devices print: mem_trace's and ZPL's
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>

#include "format/text/zpl_text.h"

_Static_assert((int)MEM_TRACE_TEXT_MAX <= (int)ZPL_TEXT_LONGEST,
               "either line fits");

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
    char line[ZPL_TEXT_LONGEST];
    struct trace_event event;
    size_t length;
    bool is_first = true;
    int got;

    (void)names; /* lines have no names */
    while ((got = trace_next(trace, &event, failure)) > 0) {
        if (is_first && event.kind == TRACE_EVENT_CALL)
            write_sampling(trace, files->out);
        is_first = false;
        length = event.kind == TRACE_EVENT_CALL
                     ? mem_trace_text_write(line, &event.call)
                     : zpl_text_write(line, &event.region);
        fwrite(line, 1, length, files->out);
    }
    return got;
}

const struct exporter exporter_text = {
    .summary = "of a trace: the lines of Mbed OS mem_trace, or of ZPL",
    .write_trace = write_text,
};
