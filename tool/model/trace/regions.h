/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.h - usage of stacks, heaps and slabs in a trace over time
 *
 * A region is identified by its kind and address. It takes a few kilobytes for
 * any number of events: its line has at most REGION_POINTS points, each the
 * highest usage until the next one.
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
#include "tool/tables/tables.h"

enum {
    REGION_POINTS = 256,
    REGION_LIMIT = 16384, /* regions; events of further ones are counted in
                             left_out */
};

/* Position of an event: nanoseconds of the writer's clock or, in a trace
   without times, the number of the region's event, from 0. */
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
    char *name;      /* any bytes; NULL unknown */
    uint64_t size;   /* highest sum of used and unused bytes */
    uint64_t used;   /* bytes at the end */
    uint64_t peak;
    region_place peak_place; /* first place with the peak */
    uint64_t events;
    struct region_point *points;
    size_t point_count;
    uint64_t stride; /* events for each point but the last */

    /* Least-squares line: bytes for each unit of place. */
    double slope;
    enum region_trend trend;

    /* Private: sums of squares about the means. */
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

void regions_add(struct regions *regions, const struct zpl_event *event);

/* Compare by kind and address, for qsort(). */
int regions_compare(const void *left, const void *right);

/* Sort, and work out trends, after the last event. */
void regions_finish(struct regions *regions);

/*
 * Return the region of this kind and address, or NULL; before regions_finish().
 */
struct region *regions_find(const struct regions *regions, uint8_t kind,
                            uint64_t address);

/* Return the regions by kind and address; the caller frees the array. */
const struct region **regions_in_order(const struct regions *regions);

void regions_close(struct regions *regions);

/* Return "stack", "heap", "k_heap" or "mem_slab". */
const char *region_kind_name(const struct region *region);

/* Return "rising", "falling" or "steady". */
const char *region_trend_name(enum region_trend trend);
