/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ring_reader.h - the events that one program has put into its rings, in order
 *
 * The memory is the program's as well (events_area.h): whatever it does to it,
 * no more than its own events are wrong. An event is taken out when none can
 * come any more that is older.
 */
#pragma once

#include <stdbool.h>

#include "format/events/events_area.h"
#include "format/text/mem_trace_text.h"

/*
 * Times of a traced program become nanoseconds. If the kernel trusts the
 * processor's counter for its own clock, programs read it themselves, in a
 * third of the time. The length of a tick comes from pairs of both clocks: one
 * from the beginning of the scale, another of each update. A longer time
 * between them is more precise.
 */
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

/* Return the time that a program would have noted `ns` nanoseconds ago. */
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

/* One ring as far as it was looked at. */
struct ring_place {
    uint64_t tail; /* taken out so far */
    uint64_t head; /* what can be taken out */
    uint64_t next_time;
    uint64_t moved_ns; /* since when its thread is in the midst of adding */
    uint32_t thread;
};

typedef void ring_take_fn(void *context, const struct mem_trace_event *event);

struct ring_reader {
    struct events_area *area; /* NULL: not open */
    uint32_t ring_count;
    bool is_blackbox; /* the rings are overwritten, and only looked at */
    uint64_t lost;    /* events that the program says it lost */
    struct ring_place places[EVENTS_RING_COUNT];
};

/* Open the rings of the ledger whose extent begins at `extent` of the session.
   Return false if it has no area (yet), or if it cannot be mapped. */
bool ring_reader_open(struct ring_reader *reader, int fd, uint64_t extent);

/*
 * Take out what can be taken, at most about `limit` events; with `is_over` all
 * there is, for the program is. Returns how many.
 */
uint64_t ring_reader_take(struct ring_reader *reader,
                          const struct tick_scale *scale, bool is_over,
                          uint64_t limit, ring_take_fn *take, void *context);

/* From now on the program need not wait for us any more. */
void ring_reader_close(struct ring_reader *reader);
