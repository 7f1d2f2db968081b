/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_event.h - one event of a trace, of whichever kind
 *
 * How much of a region is used, as ZPL tells it; a call of an allocation
 * function, as mem_trace does; a console may show both. And what else Zephyr
 * traces.
 */
#pragma once

#include "format/ctf/ctf_event.h"
#include "format/ctf/zpl_event.h"
#include "format/text/mem_trace_event.h"

enum trace_event_kind {
    TRACE_EVENT_REGION,
    TRACE_EVENT_CALL,
    TRACE_EVENT_OTHER, /* only where they are asked for */
};

/* Its fields stay until the next event is asked for. */
struct trace_other {
    uint64_t time_ns;
    const struct ctf_events *events;
    const struct ctf_event *event; /* of these */
    const unsigned char *bytes;
    size_t size;
};

static inline struct ctf_walk trace_other_walk(const struct trace_other *other)
{
    return ctf_walk_begin(other->events, other->event, other->bytes,
                          other->size);
}

struct trace_event {
    enum trace_event_kind kind;
    union {
        struct zpl_event region;
        struct mem_trace_event call;
        struct trace_other other;
    };
};

/* When it was, in nanoseconds of the writer's clock; not known: the end of
   time. */
static inline uint64_t trace_event_time(const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_REGION)
        return event->region.time_ns; /* ZPL_EVENT_NO_TIME is the end */
    if (event->kind == TRACE_EVENT_OTHER)
        return event->other.time_ns;
    return event->call.has_time ? event->call.time_ns : UINT64_MAX;
}
