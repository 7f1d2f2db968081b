/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_line.c - what was allocated over time, in few points
 *
 * When there is no room left, two points become one, and hold twice as many
 * events from then on.
 */
#include "tool/model/calls/live_line.h"

static void merge(struct live_point *into, const struct live_point *next)
{
    if (next->live_bytes > into->live_bytes) {
        into->live_bytes = next->live_bytes;
        into->live_blocks = next->live_blocks;
    }
    into->total_bytes = next->total_bytes;
}

static void halve(struct live_line *line)
{
    for (size_t i = 0; i < line->count; i += 2) {
        line->points[i / 2] = line->points[i];
        merge(&line->points[i / 2], &line->points[i + 1]);
    }
    line->count /= 2;
    line->stride *= 2;
}

void live_line_add(struct live_line *line, const struct live_point *point)
{
    if (line->count > 0 && line->filled < line->stride) {
        merge(&line->points[line->count - 1], point);
        line->filled++;
        return;
    }
    if (line->stride == 0)
        line->stride = 1;
    if (line->count == LIVE_LINE_POINTS)
        halve(line);
    line->points[line->count++] = *point;
    line->filled = 1;
}
