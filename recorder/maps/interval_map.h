/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_map.h - the site that owns each range of address space
 *
 * A sorted array of [start, end) without overlaps, in our own memory. The
 * caller holds a lock. A child forked in the middle of a change takes the array
 * from a copy, as it was before (interval_map_recover).
 *
 * Invariants:
 *
 *   I1  items[i].start < items[i].end <= items[i + 1].start
 *   I2  the calls of `on_change` add up: for each site, the bytes and ranges
 *       since the map was empty are those in the map
 *   I3  items[0 .. count) or copy[0 .. copy_count) are whole at any time, as
 *       `change` says; the copy lies behind items[capacity]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    uintptr_t start;
    uintptr_t end;
    uint32_t site;
};

enum interval_change {
    INTERVAL_CHANGE_NONE,
    INTERVAL_CHANGE_ITEMS, /* the copy is whole */
    INTERVAL_CHANGE_COPY,  /* the items are whole */
};

struct interval_map {
    struct interval *items;
    size_t count;
    size_t capacity;
    size_t copy_count;
    enum interval_change change;
    /* Called with the ranges and bytes that `site` gained (positive) or
       lost. */
    void (*on_change)(uint32_t site, int64_t pieces, int64_t bytes);
};

/* Make `site` the owner of [start, end); earlier owners lose it. 0: no owner.
   Without memory return false and change nothing. */
bool interval_map_assign(struct interval_map *map, uintptr_t start,
                         uintptr_t end, uint32_t site);

/* Return the part in [start, end) of the range that contains `start`; site 0:
   no range. */
struct interval interval_map_clip(const struct interval_map *map,
                                  uintptr_t start, uintptr_t end);

/* Undo, in a forked child, a change that its parent was making. */
void interval_map_recover(struct interval_map *map);
