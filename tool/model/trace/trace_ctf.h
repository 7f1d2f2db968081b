/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_ctf.h - events of a trace into CTF, as Tally's programs write it
 *
 *     ctf = trace_ctf_create(out);
 *     while (trace_next(trace, &event, failure) > 0)
 *         trace_ctf_add(ctf, &event, failure);
 *     trace_ctf_finish(ctf, &counts);
 *     trace_ctf_describe(ctf, trace, names, metadata, failure);
 *     trace_ctf_destroy(ctf);
 *
 * A stream is of one kind, that of its first event. Events without a time are a
 * microsecond apart. What cannot be written shows in the FILE.
 */
#ifndef TALLY_TOOL_MODEL_TRACE_CTF_H
#define TALLY_TOOL_MODEL_TRACE_CTF_H

#include <stdio.h>

#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"

struct trace_ctf;

/* NULL without memory. */
struct trace_ctf *trace_ctf_create(FILE *out);
void trace_ctf_destroy(struct trace_ctf *ctf);

/* 0, or -1 with the reason: another kind, or no memory. */
int trace_ctf_add(struct trace_ctf *ctf, const struct trace_event *event,
                  struct source_failure *failure);

/* Write what is left, and the losses that the trace names. */
void trace_ctf_finish(struct trace_ctf *ctf, const struct trace_counts *counts);

/*
 * Write the text of the file `metadata`, with the program and the names that the
 * trace has. Of a trace without an event, that of calls. 0, or -1 with the reason.
 */
int trace_ctf_describe(struct trace_ctf *ctf, const struct trace *trace,
                       struct trace_names *names, FILE *out,
                       struct source_failure *failure);

#endif /* TALLY_TOOL_MODEL_TRACE_CTF_H */
