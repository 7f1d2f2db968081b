/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_event.h - one event of a trace, of whichever kind
 *
 * Kinds are two: how much of a region is used, as ZPL tells it, and a call of an
 * allocation function, as mem_trace does. A console may show both.
 */
#ifndef TALLY_TOOL_MODEL_TRACE_EVENT_H
#define TALLY_TOOL_MODEL_TRACE_EVENT_H

#include "format/mem_trace_event.h"
#include "format/zpl_event.h"

enum trace_event_kind {
    TRACE_EVENT_REGION,
    TRACE_EVENT_CALL,
};

struct trace_event {
    enum trace_event_kind kind;
    union {
        struct zpl_event region;
        struct mem_trace_event call;
    };
};

/* When it was, in nanoseconds of the writer's clock; not known: the end of time. */
static inline uint64_t trace_event_time(const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_REGION)
        return event->region.time_ns; /* ZPL_EVENT_NO_TIME is the end */
    return event->call.has_time ? event->call.time_ns : UINT64_MAX;
}

#endif /* TALLY_TOOL_MODEL_TRACE_EVENT_H */
