/* SPDX-License-Identifier: Apache-2.0 */
/* trace_sum.h - events of a trace, summed by region and by caller */
#pragma once

#include "tool/model/calls/call_accounts.h"
#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"

/* Begins as { 0 }. */
struct trace_sum {
    struct regions regions; /* of ZPL's events */
    struct call_accounts calls;
    struct trace_counts counts;
    struct trace_program program; /* named by the trace */
};

/* Read the rest of the trace into an empty sum, finish and name its regions.
   Return 0, or -1 with the reason; close the sum in either case. */
int trace_sum_load(struct trace_sum *sum, struct trace *trace,
                   struct trace_names *names, struct source_failure *failure);
void trace_sum_close(struct trace_sum *sum);

/* Add new events. Return 0, or -1 with the reason. */
int trace_sum_read(struct trace_sum *sum, struct trace *trace,
                   struct source_failure *failure);

/* Add one event that the caller has read. */
void trace_sum_add(struct trace_sum *sum, const struct trace_event *event);

/* Return true for a trace of calls, even of no call. */
static inline bool trace_sum_has_calls(const struct trace_sum *sum)
{
    return sum->calls.events > 0 || sum->counts.has_calls;
}

/* Name regions that the caller has added up. */
void name_regions(struct trace_names *names, struct regions *regions);
