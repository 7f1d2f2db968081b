/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - what is measured of a place or a stack, by name
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/profile/profile.h"
#include "tool/text/words.h"

enum measure {
    MEASURE_LIVE_BYTES,
    MEASURE_LIVE_BLOCKS,
    MEASURE_PEAK_BYTES, /* when the heap held most */
    MEASURE_PEAK_BLOCKS,
    MEASURE_TOTAL_BYTES, /* ever allocated */
    MEASURE_TOTAL_BLOCKS,
    MEASURE_TEMPORARY, /* blocks freed before their thread's next one */
    MEASURE_GROWN,     /* blocks that realloc made grow */
    MEASURE_RESIDENT,  /* bytes of the pages that its blocks pin */
    MEASURE_COUNT,
};

/* "live-bytes" and so on. */
const char *measure_name(enum measure measure);

/* The names, then "leaked-bytes" and "leaked-blocks", which are what lives at
   the end. The number of a word modulo MEASURE_COUNT is its measure. */
extern const struct word_list measure_words;

bool measure_is_bytes(enum measure measure);

/* "bytes" or "blocks". */
const char *measure_unit(enum measure measure);

/* Whether a finished profile tells it. */
bool measure_is_known(const struct profile *profile, enum measure measure);

int64_t measure_of(const struct profile_amounts *amounts, enum measure measure);

/* How uncertain that is, squared; 0 where it is exact, or not known, and of
   MEASURE_COUNT. */
double measure_variance(const struct profile_amounts *amounts,
                        enum measure measure);
