/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_figures.h - what a report says of a site, a stack or the whole heap
 *
 * One table, in site_figures.c, for people and for scripts. To add a figure: a
 * name here, a row there, and its value in value_of()
 * unless it is a number of the amounts.
 */
#pragma once

#include "tool/render/render.h"

/* In the order of JSON's rows. */
enum site_figure {
    SITE_NO_FIGURE, /* ends a list */
    SITE_LIVE_BYTES,
    SITE_LIVE_BLOCKS,
    SITE_TOTAL_BYTES,
    SITE_TOTAL_BLOCKS,
    SITE_INHERITED_BYTES,
    SITE_INHERITED_BLOCKS,
    SITE_PEAK_BYTES, /* its part of what heap and maps held at their peak */
    SITE_PEAK_BLOCKS,
    SITE_TEMPORARY,
    SITE_GROWN, /* not there unless has_grown, as is the next */
    SITE_GROWN_BYTES,
    SITE_PEAK_RESIDENT,
    SITE_PEAK_SEEN,
    SITE_RESIDENT, /* of the pages that it pins, as are the next four;
                      not there unless has_residency */
    SITE_SLACK,
    SITE_ALONE,
    SITE_ALONE_BLOCKS,
    SITE_UNTOUCHED,
    SITE_FREED_BYTES, /* these since a snapshot alone */
    SITE_FREED_BLOCKS,
    SITE_GROWTH_BYTES,
    SITE_GROWTH_BLOCKS,
    SITE_OLDER_BYTES, /* that live since before it, at least and at most */
    SITE_OLDER_BYTES_MOST,
    SITE_OLDER_BLOCKS,
    SITE_OLDER_BLOCKS_MOST,
    SITE_FREES, /* the rest are of the whole heap alone */
    SITE_HEAP_PEAK,
    SITE_PEAK_OF_MAPS,
    SITE_PEAK_WITH_MAPS,
    SITE_PEAK_UNCERTAINTY,
    SITE_PEAK_COPIED,
    SITE_LEAKED_BYTES, /* columns alone: what lives, by another title */
    SITE_LEAKED_BLOCKS,
    SITE_OF_BLOCKS,
    SITE_FIGURES,
};

/* subject of figures */
struct site_figures {
    const struct profile *profile;
    const struct profile_site *site; /* NULL: the whole heap */
    const struct profile_amounts *amounts;
    bool is_estimate; /* ... of a profile that was sampled */
};

struct site_figures site_figures_of_heap(const struct profile *profile);

/* For people, in a table of sites. */
struct figure site_figure_cell(const struct site_figures *of,
                               enum site_figure which);

/* Lines with those of the whole heap that are known. */
void site_figures_print(const struct profile *profile);

/* All members of a row and, if the profile is sampled, "samples" and
   "intervals"; all of the whole heap. */
void site_figures_write(struct json *json, const struct site_figures *of,
                        const struct lifetimes *lifetimes);
void site_figures_write_heap(struct json *json, const struct profile *profile);

/* " (3 samples)", or "" of a row that has more than a few, or is exact. */
enum { FEW_SAMPLES_SIZE = 16 };
const char *site_figures_few(char out[FEW_SAMPLES_SIZE],
                             const struct profile *profile,
                             const struct lifetimes *lifetimes);

/* How it was sampled, if it was: a line, and a member "sampling". */
void site_figures_print_sampling(const struct profile *profile);
void site_figures_write_sampling(struct json *json,
                                 const struct profile *profile);
