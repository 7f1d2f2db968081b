/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_line.h - what was allocated over time, in few points
 *
 * Whatever the number of events, a line has at most LIVE_LINE_POINTS points: each
 * is the most live bytes from its place until the next one's.
 */
#ifndef TALLY_TOOL_MODEL_LIVE_LINE_H
#define TALLY_TOOL_MODEL_LIVE_LINE_H

#include <stddef.h>
#include <stdint.h>

enum { LIVE_LINE_POINTS = 512 };

struct live_point {
    uint64_t place; /* a time in nanoseconds, or the number of an event */
    uint64_t live_bytes;
    uint64_t live_blocks; /* when there were most bytes */
    uint64_t total_bytes; /* allocated until the next point */
};

/* All fields 0 is empty. */
struct live_line {
    struct live_point points[LIVE_LINE_POINTS];
    size_t count;
    uint64_t stride; /* events of a point, except of the last one */
    uint64_t filled; /* private: events of the last point */
};

/* How it is after one more event; places do not go back. */
void live_line_add(struct live_line *line, const struct live_point *point);

#endif /* TALLY_TOOL_MODEL_LIVE_LINE_H */
