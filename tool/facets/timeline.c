/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - live and allocated bytes over time */
#include "tool/facets/facet.h"

static void write_timeline(const struct facet_subject *subject,
                           struct json *json)
{
    const struct profile *profile = subject->profile;

    if (profile->allocinfo_version != 0) {
        json_null(json, "timeline");
        return;
    }
    json_begin(json, "timeline", JSON_ARRAY);
    for (size_t i = 0; i < profile->timeline.count; i++) {
        const struct timeline_sample *sample = &profile->timeline.samples[i];

        json_begin(json, NULL, JSON_OBJECT);
        json_number_or_null(json, "ns",
                            profile->calls == NULL || profile->calls->has_times,
                            sample->ns);
        if (profile->calls != NULL)
            json_number_or_null(json, "event", !profile->calls->has_times,
                                sample->ns);
        json_signed(json, "live_bytes", sample->live_bytes);
        json_signed(json, "live_blocks", sample->live_blocks);
        json_unsigned(json, "total_bytes", sample->total_bytes);
        json_end(json);
    }
    json_end(json);
}

const struct facet timeline_facet = { .write = write_timeline };
