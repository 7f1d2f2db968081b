/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tick_scale.h - from the times that a traced program notes to nanoseconds
 *
 * Where the kernel trusts the processor's counter for its own clock, programs
 * read it themselves, which takes a third of the time. What a tick is comes
 * from pairs of both clocks: the first is taken when the scale is begun,
 * another with each update, and the longer between them, the finer.
 */
#ifndef TALLY_TOOL_SESSION_TICK_SCALE_H
#define TALLY_TOOL_SESSION_TICK_SCALE_H

#include <stdint.h>

#include "format/events/events_area.h"

struct tick_scale {
    enum events_clock clock;
    uint64_t first_ticks, first_ns;
    uint64_t ticks, ns; /* the latest pair */
    double ns_per_tick;
};

/*
 * The best clock for programs on this machine; with `avoid_ticks` the kernel's.
 * NANOSECONDS where ticks cannot be trusted.
 */
enum events_clock tick_scale_choose(int avoid_ticks);

void tick_scale_begin(struct tick_scale *scale, enum events_clock clock);

/* Take a pair now. */
void tick_scale_update(struct tick_scale *scale);

/* What a program would have noted so many nanoseconds ago. */
uint64_t tick_scale_before(const struct tick_scale *scale, uint32_t ns);

/* CLOCK_MONOTONIC when it noted `time`. */
static inline uint64_t tick_scale_ns(const struct tick_scale *scale,
                                     uint64_t time)
{
    int64_t ticks = (int64_t)(time - scale->ticks);

    if (scale->clock == EVENTS_CLOCK_NANOSECONDS)
        return time;
    return scale->ns + (uint64_t)(int64_t)((double)ticks * scale->ns_per_tick);
}

#endif /* TALLY_TOOL_SESSION_TICK_SCALE_H */
