/* SPDX-License-Identifier: Apache-2.0 */
/* turnover.c - see compare.h */
#include "tool/model/compare/compare.h"

#include <math.h>

/* Variance of a sampled block's bytes at most, by the interval squared: the
   maximum of x * x / (exp(x) - 1). Blocks of 1.6 intervals have it. */
static const double most_of_block = 0.648;

static void add(int64_t *sum, struct kept_error *error, int sign,
                uint64_t value, double variance, float shared)
{
    *sum += sign * (int64_t)value;
    error->variance += (float)(sign * variance);
    error->seen += shared;
}

/* Freed blocks are those allocated or inherited and not live. Inherited ones
   had at most the interval as the variance of a byte: of a process that is in
   both readings this cancels. Histories keep no variances of bytes. */
void turnover_add(struct comparison_amounts *allocated,
                  struct comparison_amounts *freed,
                  const struct profile_amounts *amounts, int sign,
                  const struct profile *profile)
{
    const struct amounts_error *error = &amounts->error;
    uint64_t all_bytes = amounts->inherited_bytes + amounts->alloc_bytes;
    uint64_t all_blocks = amounts->inherited_blocks + amounts->alloc_blocks;
    double inherited = (double)amounts->inherited_bytes;
    double count = (double)amounts->inherited_blocks;
    double a_byte =
        profile->sample_interval > 1 ? (double)profile->sample_interval : 0;
    double bytes = (double)error->total_bytes.variance + inherited * a_byte;
    double blocks = (double)error->total_blocks.variance +
                    (inherited > 0 ? count * count / inherited * a_byte : 0);
    double freed_bytes = bytes - (double)(error->live_bytes.variance -
                                          error->inherited_bytes.shared);

    if (profile->history.is_chosen &&
        (error->total_blocks.variance > 0 || error->free_blocks > 0 ||
         error->live_blocks.variance > 0)) {
        bytes = (double)all_bytes * a_byte;
        freed_bytes = (double)amounts->free_bytes * a_byte;
    }
    add(&allocated->bytes, &allocated->bytes_error, sign, all_bytes, bytes,
        error->inherited_bytes.variance);
    add(&allocated->blocks, &allocated->blocks_error, sign, all_blocks, blocks,
        error->inherited_blocks.variance);
    add(&freed->bytes, &freed->bytes_error, sign, amounts->free_bytes,
        freed_bytes, error->inherited_bytes.shared);
    add(&freed->blocks, &freed->blocks_error, sign, amounts->free_blocks,
        blocks - (double)(error->live_blocks.variance -
                          error->inherited_blocks.shared),
        error->inherited_blocks.shared);
}

void turnover_share(struct estimate_error *allocated,
                    struct estimate_error *freed,
                    const struct profile *const profiles[2])
{
    double sharers =
        allocated->seen > 0 ? 1 + freed->seen / allocated->seen : 1;
    double earlier = (double)profiles[0]->image_count;
    double begun = (double)profiles[1]->image_count - earlier;

    allocated->variance *= fmin(sharers, 1 + begun);
    freed->variance *= fmin(sharers, earlier);
}

struct interval comparison_turnover(const struct comparison_row *row,
                                    const struct profile *const profiles[2],
                                    bool is_bytes, enum measure measure)
{
    const struct comparison_amounts *of[] = { &row->before, &row->after,
                                              &row->allocated, &row->freed };
    double interval = (double)profiles[1]->sample_interval;
    double values[4], all = 0;
    struct estimate_error errors[4];

    for (unsigned i = 0; i < 4; i++) {
        errors[i] = kept_error_read(is_bytes ? of[i]->bytes_error
                                             : of[i]->blocks_error);
        values[i] = (double)(is_bytes ? of[i]->bytes : of[i]->blocks);
        all += errors[i].variance;
    }
    for (unsigned i = 2; i < 4 && is_bytes && profiles[1]->history.is_chosen;
         i++)
        errors[i].variance =
            fmin(errors[i].variance, most_of_block * interval * interval *
                                         fmax(1, (double)of[i]->blocks));
    if (all <= 0 && (values[0] > 0 || values[1] > 0))
        return (struct interval){ values[1] - values[0],
                                  values[1] - values[0] };
    turnover_share(&errors[2], &errors[3], profiles);
    if (measure == MEASURE_LIVE_BYTES || measure == MEASURE_LIVE_BLOCKS)
        return interval_of_turnover(
            profiles[1], measure,
            &(const struct turnover){
                values[0], values[1], values[2], values[3], errors[0].variance,
                errors[1].variance, errors[2].variance, errors[3].variance });
    return interval_of_sampled(
        profiles[1], measure, fmax(values[1] - values[0], 0),
        (struct estimate_error){
            fmax(errors[1].variance - errors[0].variance, 0), 0 });
}

void comparison_row_add(struct comparison_row *row, unsigned side,
                        const struct compared_value *value,
                        const struct profile_amounts *amounts,
                        const struct profile *profile, bool is_of_one_process)
{
    struct comparison_amounts *sum = side == 0 ? &row->before : &row->after;

    sum->bytes += compared_of(amounts, value->bytes);
    sum->blocks += compared_of(amounts, value->blocks);
    kept_error_add(&sum->bytes_error,
                   kept_error_of(measure_error(amounts, value->bytes)));
    kept_error_add(&sum->blocks_error,
                   kept_error_of(measure_error(amounts, value->blocks)));
    if (is_of_one_process)
        turnover_add(&row->allocated, &row->freed, amounts, side == 0 ? -1 : 1,
                     profile);
}
