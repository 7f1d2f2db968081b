/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.c - one line of data points of several images */
#include "tool/model/profile/profile_parts.h"

void timeline_add_sample(struct timeline *timeline,
                         const struct timeline_sample *sample)
{
    ARENA_ADD(timeline->arena, timeline->samples, timeline->count, *sample);
}

void timeline_end_image(struct timeline *timeline, uint64_t image, uint64_t ns)
{
    struct timeline_sample end = { .ns = ns, .image = image, .is_end = true };

    /* Its allocated total stays. */
    for (size_t i = timeline->count; i-- > 0;) {
        const struct timeline_sample *sample = &timeline->samples[i];

        if (sample->image != image)
            break;
        if (sample->total_bytes > end.total_bytes)
            end.total_bytes = sample->total_bytes;
    }
    timeline_add_sample(timeline, &end);
}

static int compare(const void *left, const void *right)
{
    const struct timeline_sample *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? 1 : -1;
    if (a->image != b->image)
        return a->image < b->image ? -1 : 1;
    return 0;
}

void timeline_finish(struct timeline *timeline)
{
    struct timeline_sample sum = { 0 };
    OWNED struct timeline_sample *latest = NULL;
    size_t image_count = 0, used = 0;

    if (timeline->count == 0)
        return;
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->samples[i].image >= image_count)
            image_count = (size_t)timeline->samples[i].image + 1;
    }
    latest = memory_zeroed(image_count, sizeof *latest);
    ARRAY_SORT(timeline->samples, timeline->count, compare);
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_sample now = timeline->samples[i];
        struct timeline_sample *old = &latest[now.image];

        if (now.is_end && image_count == 1)
            continue; /* its last data point says how it ended */
        /* Hostile values may wrap. */
        sum.live_bytes =
            (int64_t)((uint64_t)sum.live_bytes - (uint64_t)old->live_bytes +
                      (uint64_t)now.live_bytes);
        sum.live_blocks =
            (int64_t)((uint64_t)sum.live_blocks - (uint64_t)old->live_blocks +
                      (uint64_t)now.live_blocks);
        sum.total_bytes += now.total_bytes - old->total_bytes;
        *old = now;
        sum.ns = now.ns;
        /* The last of several points at one time is the whole sum. */
        if (used > 0 && timeline->samples[used - 1].ns == sum.ns)
            used--;
        timeline->samples[used++] = sum;
    }
    timeline->count = used;
}
