/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf.c - a trace as CTF, for babeltrace2, Trace Compass and Tally itself
 */
#include "tool/exporters/exporter.h"
#include "tool/model/trace/trace_ctf.h"

static int write_events(struct trace_ctf *ctf, struct trace *trace,
                        struct source_failure *failure)
{
    struct trace_counts counts;
    struct trace_event event;
    int got;

    while ((got = trace_next(trace, &event, failure)) > 0) {
        if (trace_ctf_add(ctf, &event, failure) < 0)
            return -1;
    }
    trace_count(trace, &counts);
    trace_ctf_finish(ctf, &counts);
    return got;
}

static int write_ctf(struct trace *trace, struct trace_names *names,
                     const struct export_files *files,
                     struct source_failure *failure)
{
    struct trace_ctf *ctf = trace_ctf_create(files->out);
    int error;

    if (ctf == NULL)
        return source_fail(failure, "there is not enough memory to export it",
                           "free some and try again");
    error = write_events(ctf, trace, failure);
    if (error == 0 && files->metadata != NULL)
        error = trace_ctf_describe(ctf, trace, names, files->metadata, failure);
    trace_ctf_destroy(ctf);
    return error;
}

const struct exporter exporter_ctf = {
    .name = "ctf",
    .summary = "of a trace: for babeltrace2; with -o, a folder",
    .has_metadata = true,
    .write_trace = write_ctf,
};
