/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - see quantities.h */
#include "tool/model/profile/profile.h"

/* Field of struct profile_amounts, and its error if one is known. */
#define AT(member) offsetof(struct profile_amounts, member)
static const struct {
    const char *name;
    bool is_bytes;
    size_t value, error;
} measures[] = {
    [MEASURE_LIVE_BYTES] = { "live-bytes", true, AT(live_bytes),
                             AT(error.live_bytes) },
    [MEASURE_LIVE_BLOCKS] = { "live-blocks", false, AT(live_blocks),
                              AT(error.live_blocks) },
    [MEASURE_PEAK_BYTES] = { "peak-bytes", true, AT(peak_bytes), 0 },
    [MEASURE_PEAK_BLOCKS] = { "peak-blocks", false, AT(peak_blocks), 0 },
    [MEASURE_TOTAL_BYTES] = { "total-bytes", true, AT(alloc_bytes),
                              AT(error.total_bytes) },
    [MEASURE_TOTAL_BLOCKS] = { "total-blocks", false, AT(alloc_blocks),
                               AT(error.total_blocks) },
    [MEASURE_TEMPORARY] = { "temporary", false, AT(temporary_blocks), 0 },
    [MEASURE_GROWN] = { "reallocs", false, AT(grown_blocks), 0 },
    [MEASURE_RESIDENT] = { "resident-bytes", true, AT(resident_bytes), 0 },
    [MEASURE_COUNT + MEASURE_LIVE_BYTES] = { .name = "leaked-bytes" },
    [MEASURE_COUNT + MEASURE_LIVE_BLOCKS] = { .name = "leaked-blocks" },
};
#undef AT

const char *measure_name(enum measure measure)
{
    return measures[measure].name;
}

const struct word_list measure_words = WORDS(measures);

bool measure_is_bytes(enum measure measure)
{
    return measures[measure].is_bytes;
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
    case MEASURE_GROWN:
        return profile->has_grown;
    case MEASURE_RESIDENT:
        return profile->has_residency;
    default:
        return true;
    }
}

int64_t measure_of(const struct profile_amounts *amounts, enum measure measure)
{
    return *(const int64_t *)((const char *)amounts + measures[measure].value);
}

struct estimate_error measure_error(const struct profile_amounts *amounts,
                                    enum measure measure)
{
    size_t at = measures[measure].error;
    struct kept_error kept = { 0, 0 };

    if (measure == MEASURE_TEMPORARY)
        kept.variance = amounts->error.temporary;
    else if (at != 0)
        kept = *(const struct kept_error *)((const char *)amounts + at);
    return kept_error_read(kept);
}
