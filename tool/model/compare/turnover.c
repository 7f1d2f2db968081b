/* SPDX-License-Identifier: Apache-2.0 */
/* turnover.c - see compare.h */
#include "tool/model/compare/compare.h"

static void add(struct comparison_amounts *sum, int sign, uint64_t bytes,
                uint64_t blocks, double bytes_variance, double blocks_variance)
{
    sum->bytes += sign * (int64_t)bytes;
    sum->blocks += sign * (int64_t)blocks;
    sum->bytes_error.variance += (float)(sign * bytes_variance);
    sum->blocks_error.variance += (float)(sign * blocks_variance);
}

/* Without inherited blocks, those freed are those allocated and not live. */
void turnover_add(struct comparison_amounts *allocated,
                  struct comparison_amounts *freed,
                  const struct profile_amounts *amounts, int sign)
{
    double blocks = measure_error(amounts, MEASURE_TOTAL_BLOCKS).variance;
    double bytes = measure_error(amounts, MEASURE_TOTAL_BYTES).variance;

    add(allocated, sign, amounts->alloc_bytes, amounts->alloc_blocks, bytes,
        blocks);
    add(freed, sign, amounts->free_bytes, amounts->free_blocks,
        bytes - measure_error(amounts, MEASURE_LIVE_BYTES).variance,
        blocks - measure_error(amounts, MEASURE_LIVE_BLOCKS).variance);
}
