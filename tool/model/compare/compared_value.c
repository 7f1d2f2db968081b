/* SPDX-License-Identifier: Apache-2.0 */
/* compared_value.c - which figure of two profiles is compared */
#include "tool/model/compare/comparison.h"

const struct compared_value compared_values[] = {
    { "live", MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS, false, "" },
    { "peak", MEASURE_PEAK_BYTES, MEASURE_PEAK_BLOCKS, false, "at the peak " },
    { "total", MEASURE_TOTAL_BYTES, MEASURE_TOTAL_BLOCKS, false,
      "ever allocated " },
    { "blocks", MEASURE_LIVE_BYTES, MEASURE_LIVE_BLOCKS, true, "" },
    { "temporary", MEASURE_COUNT, MEASURE_TEMPORARY, true, "temporary " },
    { "resident", MEASURE_RESIDENT, MEASURE_COUNT, false, "resident " },
};

const struct word_list compared_value_words = WORDS(compared_values);

int64_t compared_of(const struct profile_amounts *amounts, enum measure measure)
{
    return measure == MEASURE_COUNT ? 0 : measure_of(amounts, measure);
}

enum measure compared_unknown(const struct compared_value *value,
                              const struct profile *profile)
{
    if (value->bytes != MEASURE_COUNT &&
        !measure_is_known(profile, value->bytes))
        return value->bytes;
    if (value->blocks != MEASURE_COUNT &&
        !measure_is_known(profile, value->blocks))
        return value->blocks;
    return MEASURE_COUNT;
}

int64_t comparison_deciding(const struct compared_value *value,
                            const struct comparison_amounts *amounts)
{
    return value->is_of_blocks ? amounts->blocks : amounts->bytes;
}
