/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.c - a trace as the lines that devices print: mem_trace's, and ZPL's
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>

#include "format/text/mem_trace_text.h"
#include "format/text/zpl_text.h"
#include "tool/model/trace/trace_event.h"
#include "tool/model/trace/trace_names.h"

enum { TRACE_TEXT_LONGEST = ZPL_TEXT_LONGEST };

_Static_assert((int)MEM_TRACE_TEXT_MAX <= (int)TRACE_TEXT_LONGEST,
               "either line fits");

/* Write the line with its newline, without a NUL, and return its length. */
static size_t write_event(char out[TRACE_TEXT_LONGEST],
                          const struct trace_event *event)
{
    return event->kind == TRACE_EVENT_CALL
               ? mem_trace_text_write(out, &event->call)
               : zpl_text_write(out, &event->region);
}

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
        fwrite(line, 1, write_event(line, &event), files->out);
    }
    return got;
}

const struct exporter exporter_text = {
    .name = "text",
    .summary = "of a trace: the lines of Mbed OS mem_trace, or of ZPL",
    .write_trace = write_text,
};
