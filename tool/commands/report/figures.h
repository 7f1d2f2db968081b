/* SPDX-License-Identifier: Apache-2.0 */
/*
 * figures.h - what a report says of a site, a stack or the whole heap
 *
 * One table, in figures.c, for people and for scripts. To add a figure: a name
 * here, a row there, and its value in value_of().
 */
#ifndef TALLY_TOOL_COMMANDS_FIGURES_H
#define TALLY_TOOL_COMMANDS_FIGURES_H

#include "tool/model/names/site_names.h"
#include "tool/model/profile/measure.h"
#include "tool/render/estimate_text.h"
#include "tool/render/json.h"

/* In the order of JSON's rows. */
enum figure {
    FIGURE_LIVE_BYTES,
    FIGURE_LIVE_BLOCKS,
    FIGURE_TOTAL_BYTES,
    FIGURE_TOTAL_BLOCKS,
    FIGURE_INHERITED_BYTES,
    FIGURE_INHERITED_BLOCKS,
    FIGURE_PEAK_BYTES, /* its part of what the heap held at its peak */
    FIGURE_PEAK_BLOCKS,
    FIGURE_TEMPORARY,
    FIGURE_PEAK_SEEN,
    FIGURE_CALL_RATE,
    FIGURE_BYTE_RATE,
    FIGURE_FREES, /* the rest are of the whole heap alone */
    FIGURE_HEAP_PEAK,
    FIGURE_PEAK_UNCERTAINTY,
    FIGURE_PEAK_COPIED,
    FIGURE_COUNT,
};

/* What they are of. */
struct figures {
    const struct profile *profile;
    const struct profile_site *site; /* NULL: the whole heap */
    const struct profile_amounts *amounts;
    bool is_estimate; /* ... of a profile that was sampled */
};

struct figures figures_of_heap(const struct profile *profile);

/* The number, or its estimate. */
char *figure_text(char out[ESTIMATE_TEXT_SIZE], const struct figures *of,
                  enum figure figure);

/* Lines with those of the whole heap that are known. */
void figures_print(const struct profile *profile);

/* All members of a row, and those of the whole heap with their intervals. */
void figures_write_row(struct json *json, const struct figures *of);
void figures_write_heap(struct json *json, const struct profile *profile);

/* Members "samples" and "intervals" of a row; nothing where all is exact. */
void figures_write_intervals(struct json *json, const struct figures *of,
                             const struct lifetimes *lifetimes);

/* " (3 samples)", or "" of a row that has more than a few, or is exact. */
enum { FEW_SAMPLES_SIZE = 16 };
const char *figure_few_samples(char out[FEW_SAMPLES_SIZE],
                               const struct profile *profile,
                               const struct lifetimes *lifetimes);

/* The members of a name: "function", "file", "line" and "module". */
void figures_write_name(struct json *json, const struct site_name *name);

/* How it was sampled, if it was: a line, and a member "sampling". */
void figures_print_sampling(const struct profile *profile);
void figures_write_sampling(struct json *json, const struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_FIGURES_H */
