/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_map.h - which site owns which piece of address space
 *
 * A sorted array of [start, end) without overlaps, in memory of our own. The
 * caller keeps others out; a forked child may find the array in the middle of a
 * change (interval_map_recover).
 *
 * Invariants:
 *
 *   I1  items[i].start < items[i].end <= items[i + 1].start
 *   I2  the calls of `on_change` add up: for each site, the bytes and pieces
 *       since the map was empty are what the map holds
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

struct interval_map {
    struct interval *items;
    size_t count;
    size_t capacity;
    uint32_t is_changing;
    /* Pieces and bytes that `site` gained (positive) or lost. */
    void (*on_change)(uint32_t site, int64_t pieces, int64_t bytes);
};

/*
 * `site` owns [start, end) from now on; earlier owners lose it. 0: it has no
 * owner. False: no memory, unchanged.
 */
bool interval_map_assign(struct interval_map *map, uintptr_t start,
                         uintptr_t end, uint32_t site);

/* What the piece that holds `start` has in [start, end); site 0: no piece. */
struct interval interval_map_clip(const struct interval_map *map,
                                  uintptr_t start, uintptr_t end);

/*
 * In a forked child: forget all that was in the middle of a change, without
 * calling on_change. How many pieces, with the one that was being changed.
 */
size_t interval_map_recover(struct interval_map *map);
