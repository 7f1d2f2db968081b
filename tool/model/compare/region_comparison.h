/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_comparison.h - what grew from one trace to another, region by region
 *
 * Regions are the same when they are of one kind and have one name, for
 * addresses move with every build and every start; of several with one name the
 * first is the first, by address. What is left is the same when its address is.
 */
#pragma once

#include "tool/model/trace/regions.h"

/* Sums of regions, and of differences. */
struct region_amounts {
    int64_t used; /* at the end */
    int64_t peak;
};

struct region_pair {
    const struct region *before; /* NULL: it is new */
    const struct region *after;  /* NULL: it is gone */
    struct region_amounts growth;
};

struct region_comparison {
    struct region_pair *pairs; /* what changed most first */
    size_t count;
    struct region_amounts before, after, growth;
};

/* Both finished, and to be kept. */
void region_comparison_open(struct region_comparison *comparison,
                            const struct regions *before,
                            const struct regions *after);
void region_comparison_close(struct region_comparison *comparison);
