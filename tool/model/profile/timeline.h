/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - totals of the heap over time, of one or more process images
 *
 * Samples of several images become those of their sum: at each time, what each
 * image held when last looked at, and nothing once it had ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/tables/arena.h"

struct timeline_sample {
    uint64_t ns;    /* CLOCK_REALTIME */
    uint64_t image; /* whichever number the caller gives it */
    int64_t live_bytes;
    int64_t live_blocks;
    uint64_t total_bytes; /* allocated until then */
    bool is_end;          /* private: the image's memory was given back */
};

struct timeline {
    struct arena *arena;             /* the profile's */
    struct timeline_sample *samples; /* by time, once finished */
    size_t count;
};

/* In any order; one may come twice. */
void timeline_add_sample(struct timeline *timeline,
                         const struct timeline_sample *sample);

/* The image that has been added last ended at `ns`. */
void timeline_end_image(struct timeline *timeline, uint64_t image, uint64_t ns);

/* Make one line of all that was added; once. */
void timeline_finish(struct timeline *timeline);
