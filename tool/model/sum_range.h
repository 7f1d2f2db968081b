/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sum_range.h - numbers that can be added up, in any choice and order
 *
 * What is above 0 and what is below are summed apart: the sum of any of the numbers
 * lies between the two.
 */
#ifndef TALLY_TOOL_MODEL_SUM_RANGE_H
#define TALLY_TOOL_MODEL_SUM_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct sum_range {
    int64_t most;
    int64_t least;
};

/* Whether all sums fit into 64 bits with this number, too. */
static inline bool sum_range_add(struct sum_range *range, int64_t number)
{
    int64_t *bound = number < 0 ? &range->least : &range->most;

    return !__builtin_add_overflow(*bound, number, bound);
}

#endif /* TALLY_TOOL_MODEL_SUM_RANGE_H */
