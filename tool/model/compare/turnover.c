/* SPDX-License-Identifier: Apache-2.0 */
/* turnover.c - see compare.h */
#include "tool/model/compare/compare.h"

static void add(struct comparison_amounts *sum, int sign, uint64_t bytes,
                uint64_t blocks, const struct estimate_error errors[2])
{
    sum->bytes += sign * (int64_t)bytes;
    sum->blocks += sign * (int64_t)blocks;
    sum->bytes_error.variance += sign * errors[0].variance;
    sum->blocks_error.variance += sign * errors[1].variance;
}

void turnover_add(struct comparison_amounts *allocated,
                  struct comparison_amounts *freed,
                  const struct profile_amounts *amounts, int sign)
{
    const struct amounts_error *error = &amounts->error;

    add(allocated, sign, amounts->alloc_bytes, amounts->alloc_blocks,
        (struct estimate_error[]){ error->total_bytes, error->total_blocks });
    add(freed, sign, amounts->free_bytes, amounts->free_blocks,
        (struct estimate_error[]){ error->free_bytes, error->free_blocks });
}
