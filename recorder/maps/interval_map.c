/* SPDX-License-Identifier: Apache-2.0 */
/* interval_map.c - a sorted array of intervals; see interval_map.h */
#include "recorder/maps/interval_map.h"

#include <string.h>

#include "format/invariant.h"
#include "tally/port.h"

enum { FIRST_CAPACITY = 128, MOST_ADDED = 2 };

static struct interval *copy_of(const struct interval_map *map)
{
    return map->items + map->capacity;
}

static void copy_from(struct interval_map *map, size_t first)
{
    if (map->count > first)
        memcpy(copy_of(map) + first, map->items + first,
               (map->count - first) * sizeof *map->items);
    map->copy_count = map->count;
}

/* Store the kind of change. A forked child sees this thread's writes up to the
   fork, in order. */
static void enter(struct interval_map *map, enum interval_change change)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&map->change, change, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

/* Make space for one change: an insert into the middle of a piece. */
static bool reserve(struct interval_map *map)
{
    size_t capacity = map->capacity == 0 ? FIRST_CAPACITY : 2 * map->capacity;
    struct interval *items;

    if (map->count + MOST_ADDED <= map->capacity)
        return true;
    items = tally_port_pages_alloc(2 * capacity * sizeof *items);
    if (items == NULL)
        return false;
    if (map->items != NULL)
        memcpy(items, map->items, map->count * sizeof *items);

    struct interval *old = map->items;
    size_t old_capacity = map->capacity;

    /* A child forked in between must find one or the other. */
    __atomic_store_n(&map->items, items, __ATOMIC_RELEASE);
    __atomic_store_n(&map->capacity, capacity, __ATOMIC_RELEASE);
    copy_from(map, 0);
    if (old != NULL)
        tally_port_pages_free(old, 2 * old_capacity * sizeof *old);
    return true;
}

/* Return the index of the first piece that ends after `address`. */
static size_t find(const struct interval_map *map, uintptr_t address)
{
    size_t low = 0, high = map->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (map->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Replace `removed` pieces at `at` by the `added` ones. */
static void splice(struct interval_map *map, size_t at, size_t removed,
                   const struct interval *added, size_t added_count)
{
    memmove(map->items + at + added_count, map->items + at + removed,
            (map->count - at - removed) * sizeof *map->items);
    memcpy(map->items + at, added, added_count * sizeof *added);
    map->count = map->count - removed + added_count;
    for (size_t i = at; i < map->count && i <= at + added_count; i++)
        INVARIANT(I1,
                  map->items[i].start < map->items[i].end &&
                      (i == 0 || map->items[i - 1].end <= map->items[i].start));
}

static void cut(struct interval_map *map, uintptr_t start, uintptr_t end)
{
    size_t first = find(map, start);
    size_t last = first;
    struct interval kept[MOST_ADDED];
    size_t kept_count = 0;
    int64_t told = 0; /* pieces reported to on_change() */

    while (last < map->count && map->items[last].start < end) {
        const struct interval *piece = &map->items[last++];
        uintptr_t from = piece->start > start ? piece->start : start;
        uintptr_t to = piece->end < end ? piece->end : end;
        int64_t pieces = -1;

        if (piece->start < start) {
            kept[kept_count++] =
                (struct interval){ piece->start, start, piece->site };
            pieces++;
        }
        if (piece->end > end) {
            kept[kept_count++] =
                (struct interval){ end, piece->end, piece->site };
            pieces++;
        }
        map->on_change(piece->site, pieces, -(int64_t)(to - from));
        told += pieces;
    }
    INVARIANT(I2, told == (int64_t)kept_count - (int64_t)(last - first));
    splice(map, first, last - first, kept, kept_count);
}

bool interval_map_assign(struct interval_map *map, uintptr_t start,
                         uintptr_t end, uint32_t site)
{
    struct interval added = { start, end, site };
    size_t first;

    if (start >= end || (site == 0 && map->count == 0))
        return true;
    if (!reserve(map))
        return false;
    first = find(map, start);
    enter(map, INTERVAL_CHANGE_ITEMS);
    cut(map, start, end);
    if (site != 0) {
        splice(map, find(map, start), 0, &added, 1);
        map->on_change(site, 1, (int64_t)(end - start));
    }
    enter(map, INTERVAL_CHANGE_COPY);
    copy_from(map, first);
    enter(map, INTERVAL_CHANGE_NONE);
    INVARIANT(I3, memcmp(copy_of(map), map->items,
                         map->count * sizeof *map->items) == 0);
    return true;
}

struct interval interval_map_clip(const struct interval_map *map,
                                  uintptr_t start, uintptr_t end)
{
    size_t at = find(map, start);
    struct interval clipped = { start, end, 0 };

    if (at < map->count && map->items[at].start <= start) {
        clipped.site = map->items[at].site;
        if (map->items[at].end < end)
            clipped.end = map->items[at].end;
    }
    return clipped;
}

void interval_map_recover(struct interval_map *map)
{
    if (map->change == INTERVAL_CHANGE_ITEMS) {
        map->count = map->copy_count;
        memcpy(map->items, copy_of(map), map->count * sizeof *map->items);
    } else
        copy_from(map, 0);
    map->change = INTERVAL_CHANGE_NONE;
}
