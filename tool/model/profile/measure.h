/* SPDX-License-Identifier: Apache-2.0 */
/*
 * measure.h - measures of a site or a stack, by name
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/model/profile/profile.h"
#include "tool/text/text.h"

enum measure {
    MEASURE_LIVE_BYTES,
    MEASURE_LIVE_BLOCKS,
    MEASURE_PEAK_BYTES, /* at the heap's peak */
    MEASURE_PEAK_BLOCKS,
    MEASURE_TOTAL_BYTES, /* allocated */
    MEASURE_TOTAL_BLOCKS,
    MEASURE_TEMPORARY, /* blocks freed by the next allocation of their thread */
    MEASURE_GROWN,     /* blocks grown by realloc */
    MEASURE_RESIDENT,  /* bytes of pages pinned by its blocks */
    MEASURE_COUNT,
};

/* Return "live-bytes" and so on. */
const char *measure_name(enum measure measure);

/* Names of measures, then "leaked-bytes" and "leaked-blocks", which are live at
   exit. The index of a word modulo MEASURE_COUNT is its measure. */
extern const struct word_list measure_words;

bool measure_is_bytes(enum measure measure);

/* Return "bytes" or "blocks". */
const char *measure_unit(enum measure measure);

/* Return true if a finished profile has this measure. */
bool measure_is_known(const struct profile *profile, enum measure measure);

int64_t measure_of(const struct profile_amounts *amounts, enum measure measure);

/* Return its variance; 0 if it is exact or unknown, and for MEASURE_COUNT. */
double measure_variance(const struct profile_amounts *amounts,
                        enum measure measure);
