/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.c - what is measured of a place or a stack, by name
 */
#include "tool/model/profile/measure.h"

#include <string.h>

static const char *const names[MEASURE_COUNT] = {
    [MEASURE_LIVE_BYTES] = "live-bytes",
    [MEASURE_LIVE_BLOCKS] = "live-blocks",
    [MEASURE_PEAK_BYTES] = "peak-bytes",
    [MEASURE_PEAK_BLOCKS] = "peak-blocks",
    [MEASURE_TOTAL_BYTES] = "total-bytes",
    [MEASURE_TOTAL_BLOCKS] = "total-blocks",
    [MEASURE_TEMPORARY] = "temporary",
};

const char *measure_name(enum measure measure)
{
    return names[measure];
}

/* What else a measure is called. */
static const struct {
    const char *name;
    enum measure measure;
} aliases[] = {
    { "leaked-bytes", MEASURE_LIVE_BYTES },
    { "leaked-blocks", MEASURE_LIVE_BLOCKS },
};

enum { ALIAS_COUNT = sizeof aliases / sizeof aliases[0] };

const char *measure_word(size_t index)
{
    if (index < MEASURE_COUNT)
        return names[index];
    index -= MEASURE_COUNT;
    return index < ALIAS_COUNT ? aliases[index].name : NULL;
}

enum measure measure_find(const char *name)
{
    unsigned measure = 0;

    for (size_t i = 0; i < ALIAS_COUNT; i++) {
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].measure;
    }
    while (measure < MEASURE_COUNT && strcmp(names[measure], name) != 0)
        measure++;
    return (enum measure)measure;
}

bool measure_is_bytes(enum measure measure)
{
    return measure == MEASURE_LIVE_BYTES || measure == MEASURE_PEAK_BYTES ||
           measure == MEASURE_TOTAL_BYTES;
}

const char *measure_unit(enum measure measure)
{
    return measure_is_bytes(measure) ? "bytes" : "blocks";
}

bool measure_is_known(const struct profile *profile, enum measure measure)
{
    switch (measure) {
    case MEASURE_PEAK_BYTES:
    case MEASURE_PEAK_BLOCKS:
        return profile->has_peaks;
    case MEASURE_TOTAL_BYTES:
    case MEASURE_TOTAL_BLOCKS:
        return !profile->lacks_totals;
    case MEASURE_TEMPORARY:
        return profile->has_temporary;
    default:
        return true;
    }
}

int64_t measure_of(const struct profile_amounts *amounts, enum measure measure)
{
    const int64_t values[] = {
        [MEASURE_LIVE_BYTES] = amounts->live_bytes,
        [MEASURE_LIVE_BLOCKS] = amounts->live_blocks,
        [MEASURE_PEAK_BYTES] = (int64_t)amounts->peak_bytes,
        [MEASURE_PEAK_BLOCKS] = (int64_t)amounts->peak_blocks,
        [MEASURE_TOTAL_BYTES] = (int64_t)amounts->alloc_bytes,
        [MEASURE_TOTAL_BLOCKS] = (int64_t)amounts->alloc_blocks,
        [MEASURE_TEMPORARY] = (int64_t)amounts->temporary_blocks,
    };

    return values[measure];
}

double measure_variance(const struct profile_amounts *amounts,
                        enum measure measure)
{
    const double values[] = {
        [MEASURE_LIVE_BYTES] = amounts->variance.live_bytes,
        [MEASURE_LIVE_BLOCKS] = amounts->variance.live_blocks,
        [MEASURE_PEAK_BYTES] = 0,
        [MEASURE_PEAK_BLOCKS] = 0,
        [MEASURE_TOTAL_BYTES] = amounts->variance.total_bytes,
        [MEASURE_TOTAL_BLOCKS] = amounts->variance.total_blocks,
        [MEASURE_TEMPORARY] = amounts->variance.temporary,
    };

    return values[measure];
}
