/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_parts.h - tally diff: the sides to compare, and their writers
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tool/commands/load/load.h"
#include "tool/model/compare/compare.h"
#include "tool/model/profile/profile.h"
#include "tool/model/trace/trace_figures.h"
#include "tool/render/render.h"

/* Compare two instants of one recording. Return the exit status. */
int diff_between(const char *source, const struct history_wish times[2],
                 const struct source_options *of, unsigned form,
                 enum terminal_color color);

struct diff {
    /* options */
    const char *names[2]; /* before and after, as given */
    const struct compared_value *value;
    unsigned form; /* of result_forms[] */
    size_t row_limit;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    enum terminal_color color;
    bool is_between; /* two instants of one program */
    bool has_html;

    /* results */
    const struct profile *profiles[2];
    struct text_pool wrappers; /* folded ones, besides the shipped list */
    int64_t slab_bytes[2];     /* bytes that a kernel counts twice */
    const struct comparison *comparison;   /* sorted */
    const struct stack_comparison *stacks; /* NULL: not known on both sides */
    struct profile_amounts sums[2];        /* of compared rows, by side */
    bool has_peaks;      /* there is no --value, and both sides know them */
    bool has_heap_peaks; /* peaks are those of the heap, which grew more */
    int64_t peaks[2];    /* bytes, by side */
    bool is_lossy;       /* a source lacks data or changed while it was read */
    bool is_exceeded;    /* growth is above the bound */
};

/* Return the growth of the value in percent; at least, if it is an estimate. */
double diff_percent(const struct diff *diff);
double diff_least_percent(const struct diff *diff);

/*
 * Name the sites of a side, then choose those to compare; a side begins as
 * zero. Name both before the first is chosen: a wrapper of one side is folded
 * on both.
 */
void diff_side_open(struct comparison_side *side,
                    const struct source_load *source,
                    const struct source_options *options,
                    struct text_pool *wrappers);
void diff_side_choose(struct comparison_side *side, struct diff *diff,
                      const struct source_options *options, unsigned number);

/* Find sums and peaks; clear `has_peaks` unless both sides know them. */
void diff_find_sums(struct diff *diff, const struct comparison_side sides[2],
                    const struct source_options *options);

/* Return the growth of the peak, in percent; 0 if it is within noise. */
double diff_peak_percent(const struct diff *diff);

/* Return true if the growth of a row is within the sampling error. */
bool diff_is_noise(const struct diff *diff, const struct comparison_row *row);

void diff_write_text(const struct diff *diff);
void diff_write_json(const struct diff *diff);
void diff_write_results(const struct diff *diff);

/*
 * Compare the regions of two traces. `foreign_option` is an option for call
 * sites, which is refused, or NULL. Return the exit status.
 */
int trace_diff(struct diff *diff, const char *foreign_option,
               const struct trace_sum sums[2]);
