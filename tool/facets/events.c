/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - the last events of a black box, and how far back they reach */
#include "tool/facets/facet.h"

static void screen_events(const struct facet_subject *subject, FILE *out)
{
    const struct ledger_events_view *events = &subject->profile->events;
    char time[DURATION_SIZE];

    if (events->offset == 0)
        return;
    fprintf(
        out, "  events     the last %s of %s, in %s; tally decode shows them\n",
        NUMBER(events->events), NUMBER(events->events + events->overwritten),
        facet_duration(time, events->last_ns - events->first_ns));
    if (events->limit != 0)
        fprintf(out,
                "  memory     %.0f %% of the limit of %s at the time of this "
                "copy\n",
                (double)events->used * 100 / (double)events->limit,
                NUMBER_BYTES((int64_t)events->limit));
}

static void write_events(const struct facet_subject *subject, struct json *json)
{
    const struct ledger_events_view *events = &subject->profile->events;

    if (events->offset == 0)
        return;
    json_begin(json, "events", JSON_LINE_OBJECT);
    json_unsigned(json, "kept", events->events);
    json_unsigned(json, "overwritten", events->overwritten);
    json_unsigned(json, "first_ns", events->first_ns);
    json_unsigned(json, "last_ns", events->last_ns);
    if (events->limit != 0) {
        json_unsigned(json, "limit_bytes", events->limit);
        json_unsigned(json, "limit_used_bytes", events->used);
    }
    json_end(json);
}

const struct facet events_facet = {
    .screen = screen_events,
    .write = write_events,
};
