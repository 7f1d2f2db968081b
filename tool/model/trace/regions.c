/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - usage of stacks, heaps and slabs in a trace over time
 *
 * When a region's points are full, pairs are merged, and each new point stands
 * for twice as many events. The least-squares line needs only sums about the
 * means, which keep their precision for large numbers.
 */
#include "tool/model/trace/trace_figures.h"

#include <math.h>

#include "format/text/zpl_text.h"

/* A trend changes more than this part of the region, and explains this part of
   the variance. */
#define LEAST_CHANGE  0.01
#define LEAST_CERTAIN 0.25

static const size_t key_size = INDEX_KEY(struct region, kind);

struct region *regions_find(const struct regions *regions, uint8_t kind,
                            uint64_t address)
{
    const struct region key = { .address = address, .kind = kind };
    uint32_t number = index_table_find(&regions->index, key_size,
                                       regions->items, sizeof key, &key);

    return number == INDEX_NONE ? NULL : &regions->items[number];
}

static struct region *add_region(struct regions *regions,
                                 const struct zpl_event *event)
{
    const struct region region = {
        .address = event->memory_addr,
        .kind = event->memory_region,
        .thread = event->for_thread_id,
        .stride = 1,
        .points = memory_zeroed(REGION_POINTS, sizeof *region.points),
    };
    uint32_t number = INDEX_ADD(&regions->index, key_size, regions->items,
                                regions->count, &region);

    return &regions->items[number];
}

static void halve_points(struct region *region)
{
    struct region_point *points = region->points;

    for (size_t i = 0; i < REGION_POINTS / 2; i++) {
        points[i].place = points[2 * i].place;
        points[i].used = points[2 * i].used > points[2 * i + 1].used
                             ? points[2 * i].used
                             : points[2 * i + 1].used;
    }
    region->point_count = REGION_POINTS / 2;
    region->stride *= 2;
}

static void add_point(struct region *region, region_place place, uint64_t used)
{
    struct region_point *last;

    if (region->events % region->stride == 0) {
        if (region->point_count == REGION_POINTS)
            halve_points(region);
        if (region->events % region->stride == 0) {
            region->points[region->point_count++] =
                (struct region_point){ place, used };
            return;
        }
    }
    last = &region->points[region->point_count - 1];
    if (used > last->used)
        last->used = used;
}

static void add_to_line(struct region *region, region_place place,
                        uint64_t used)
{
    double count = (double)(region->events + 1);
    double by_place = (double)place - region->mean_place;
    double by_used = (double)used - region->mean_used;

    region->mean_place += by_place / count;
    region->mean_used += by_used / count;
    region->sum_place += by_place * ((double)place - region->mean_place);
    region->sum_used += by_used * ((double)used - region->mean_used);
    region->sum_both += by_place * ((double)used - region->mean_used);
}

void regions_add(struct regions *regions, const struct zpl_event *event)
{
    struct region *region =
        regions_find(regions, event->memory_region, event->memory_addr);
    uint64_t size = (uint64_t)event->used + event->unused;
    region_place place;

    if (region == NULL && regions->count == REGION_LIMIT) {
        regions->left_out++;
        return;
    }
    if (region == NULL)
        region = add_region(regions, event);
    place =
        event->time_ns == ZPL_EVENT_NO_TIME ? region->events : event->time_ns;
    if (regions->events++ == 0) {
        regions->has_times = event->time_ns != ZPL_EVENT_NO_TIME;
        regions->first = place;
    }
    if (place < regions->first)
        place = regions->first; /* older than the trace */
    if (place > regions->last)
        regions->last = place;
    if (size > region->size)
        region->size = size;
    if (event->used > region->peak || region->events == 0) {
        region->peak = event->used;
        region->peak_place = place;
    }
    region->used = event->used;
    if (event->for_thread_id != 0)
        region->thread = event->for_thread_id;
    add_point(region, place, event->used);
    add_to_line(region, place, event->used);
    region->events++;
}

static void find_trend(struct region *region, const struct regions *regions)
{
    double change;

    if (region->sum_place <= 0 || region->sum_used <= 0)
        return;
    region->slope = region->sum_both / region->sum_place;
    change = region->slope * (double)(regions->last - regions->first);
    if (fabs(change) < fmax((double)region->size * LEAST_CHANGE, 1) ||
        region->slope * region->sum_both / region->sum_used < LEAST_CERTAIN)
        return;
    region->trend = change > 0 ? REGION_RISING : REGION_FALLING;
}

int regions_compare(const void *left, const void *right)
{
    const struct region *a = left, *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static int compare_pointers(const void *left, const void *right)
{
    return regions_compare(*(void *const *)left, *(void *const *)right);
}

const struct region **regions_in_order(const struct regions *regions)
{
    const struct region **order =
        memory_zeroed(regions->count + 1, sizeof *order);

    for (size_t i = 0; i < regions->count; i++)
        order[i] = &regions->items[i];
    ARRAY_SORT(order, regions->count, compare_pointers);
    return order;
}

void regions_finish(struct regions *regions)
{
    for (size_t i = 0; i < regions->count; i++)
        find_trend(&regions->items[i], regions);
    ARRAY_SORT(regions->items, regions->count, regions_compare);
    index_table_free(&regions->index);
}

void regions_close(struct regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        free(regions->items[i].name);
        free(regions->items[i].points);
    }
    free(regions->items);
    index_table_free(&regions->index);
    *regions = (struct regions){ 0 };
}

const char *region_kind_name(const struct region *region)
{
    return zpl_text_region(region->kind);
}

const char *region_trend_name(enum region_trend trend)
{
    static const char *const names[] = {
        [REGION_STEADY] = "steady",
        [REGION_RISING] = "rising",
        [REGION_FALLING] = "falling",
    };

    return names[trend];
}
