/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_sum.h - the events of a trace, added up: by region, and by caller
 */
#pragma once

#include "tool/model/calls/call_accounts.h"
#include "tool/model/trace/regions.h"
#include "tool/model/trace/trace.h"
#include "tool/model/trace/trace_names.h"

/* All fields 0 is empty. */
struct trace_sum {
    struct regions regions; /* of ZPL's events */
    struct call_accounts calls;
    struct trace_counts counts;
    struct trace_program program; /* that the trace names */
};

/*
 * Read the rest of the trace into an empty sum, finish its regions and name
 * what is in them. 0, or -1 with the reason in `failure`; close it in either
 * case.
 */
int trace_sum_load(struct trace_sum *sum, struct trace *trace,
                   struct trace_names *names, struct source_failure *failure);
void trace_sum_close(struct trace_sum *sum);

/* Add what has come since the last time. 0, or -1 with the reason. */
int trace_sum_read(struct trace_sum *sum, struct trace *trace,
                   struct source_failure *failure);

/* Add an event that was read otherwise. */
void trace_sum_add(struct trace_sum *sum, const struct trace_event *event);

/* Whether it is of calls, be it of none. */
static inline bool trace_sum_has_calls(const struct trace_sum *sum)
{
    return sum->calls.events > 0 || sum->counts.has_calls;
}

/* Name regions that were read otherwise. */
void name_regions(struct trace_names *names, struct regions *regions);
