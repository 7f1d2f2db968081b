/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - totals of the heap over time, of one or more process images
 *
 * Data points of several images become those of their sum: at each time, the
 * last known value of each image, and 0 after its end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/tables/tables.h"

struct timeline_sample {
    uint64_t ns;    /* CLOCK_REALTIME */
    uint64_t image; /* number chosen by the caller */
    int64_t live_bytes;
    int64_t live_blocks;
    uint64_t total_bytes; /* allocated until then */
    bool is_end;          /* private: the image has ended */
};

struct timeline {
    struct arena *arena;             /* the profile's */
    struct timeline_sample *samples; /* by time, once finished */
    size_t count;
};

/* Add a data point, in any order; duplicates do no harm. */
void timeline_add_sample(struct timeline *timeline,
                         const struct timeline_sample *sample);

/* End the image that was added last, at `ns`. */
void timeline_end_image(struct timeline *timeline, uint64_t image, uint64_t ns);

/* Merge the points of all images into one line, once. */
void timeline_finish(struct timeline *timeline);
