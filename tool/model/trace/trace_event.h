/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_event.h - one event of a trace
 *
 * Usage of a region (ZPL), a call of an allocation function (mem_trace), or any
 * other event of Zephyr.
 */
#pragma once

#include "format/ctf/ctf_input.h"
#include "format/ctf/zpl_event.h"
#include "format/text/mem_trace_text.h"

enum trace_event_kind {
    TRACE_EVENT_REGION,
    TRACE_EVENT_CALL,
    TRACE_EVENT_OTHER, /* only if trace.wants_others */
};

/* Event that is not of memory; valid until the next one is read. */
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

/*
 * Return its time in nanoseconds of the writer's clock; UINT64_MAX if unknown.
 */
static inline uint64_t trace_event_time(const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_REGION)
        return event->region.time_ns; /* ZPL_EVENT_NO_TIME is UINT64_MAX */
    if (event->kind == TRACE_EVENT_OTHER)
        return event->other.time_ns;
    return event->call.has_time ? event->call.time_ns : UINT64_MAX;
}
