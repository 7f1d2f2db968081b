/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_comparison.h - growth from one trace to another, region by region
 *
 * Regions are the same if kind and name are: addresses change with every build
 * and start. Several regions of one name pair in the order of addresses. The
 * rest pairs by equal addresses.
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
    struct region_pair *pairs; /* largest change first */
    size_t count;
    struct region_amounts before, after, growth;
};

/* Compare finished regions, which must outlive the comparison. */
void region_comparison_open(struct region_comparison *comparison,
                            const struct regions *before,
                            const struct regions *after);
void region_comparison_close(struct region_comparison *comparison);
