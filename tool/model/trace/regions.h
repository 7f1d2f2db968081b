/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.h - stacks, heaps and slabs of a trace, and how each was used over
 * time
 *
 * A region is known by what it is and its address. Whatever the number of
 * events, a region takes a few kilobytes: its line over time has at most
 * REGION_POINTS points, each the most that was used until the next one.
 *
 *     regions_add(&regions, &event);
 *     ...
 *     regions_finish(&regions);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf/zpl_event.h"
#include "tool/tables/index_table.h"

enum {
    REGION_POINTS = 256,
    REGION_LIMIT = 16384, /* regions; events of more are left out, counted */
};

/*
 * Where something happened: nanoseconds of the writer's clock or, in a trace
 * without times, the number of the region's event, from 0.
 */
typedef uint64_t region_place;

struct region_point {
    region_place place;
    uint64_t used;
};

enum region_trend {
    REGION_STEADY,
    REGION_RISING,
    REGION_FALLING,
};

struct region {
    uint64_t address;
    uint8_t kind;    /* enum zpl_memory_region */
    uint32_t thread; /* of a stack; else 0 */
    char *name;      /* may be any bytes; NULL: not known */
    uint64_t size;   /* the most of used and unused together */
    uint64_t used;   /* at the end */
    uint64_t peak;
    region_place peak_place; /* where the peak was first reached */
    uint64_t events;
    struct region_point *points;
    size_t point_count;
    uint64_t stride; /* events of a point, except of the last one */

    /* The line that fits best: bytes for each unit of place. */
    double slope;
    enum region_trend trend;

    /* Private: sums about the means of places and of what is used. */
    double mean_place, mean_used, sum_place, sum_used, sum_both;
};

struct regions {
    struct region *items; /* sorted by kind and address when finished */
    size_t count;
    uint64_t events;
    uint64_t left_out; /* events of regions beyond REGION_LIMIT */
    bool has_times;
    region_place first, last; /* of all events */

    struct index_table index; /* private: of `items` */
};

/* All fields 0 is an empty table. */

void regions_add(struct regions *regions, const struct zpl_event *event);

/* For qsort(): by kind and address. */
int regions_compare(const void *left, const void *right);

/* Sort, and work out trends. Nothing is added behind this. */
void regions_finish(struct regions *regions);

/* The region of that kind and address, or NULL. Not once it is finished. */
struct region *regions_find(const struct regions *regions, uint8_t kind,
                            uint64_t address);

/* Those there are so far, by kind and address, for the caller to free. */
const struct region **regions_in_order(const struct regions *regions);

void regions_close(struct regions *regions);

/* "stack", "heap", "k_heap" or "mem_slab". */
const char *region_kind_name(const struct region *region);

/* "rising", "falling" or "steady". */
const char *region_trend_name(enum region_trend trend);
