/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_parts.h - tally diff: the sides that are compared, and what is written
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tool/commands/load/source_load.h"
#include "tool/model/compare/comparison.h"
#include "tool/model/compare/stack_comparison.h"
#include "tool/model/profile/estimate.h"
#include "tool/model/trace/trace_sum.h"
#include "tool/render/terminal.h"

/*
 * Compare two instants of one ledger, as `of` chooses rows. Returns the exit
 * status.
 */
int diff_between(const char *source, const struct history_wish times[2],
                 const struct source_options *of, unsigned form,
                 enum terminal_color color);

struct diff {
    /* What is asked for. */
    const char *names[2]; /* before and after, as the user named them */
    const struct compared_value *value;
    unsigned form; /* of result_forms[] */
    size_t row_limit;
    bool has_bound; /* --fail-over */
    double bound;   /* in percent */
    enum terminal_color color;
    bool is_between; /* two instants of one program */
    bool has_html;

    /* What was found. */
    const struct profile *profiles[2];
    struct text_pool wrappers; /* that are folded, besides those of the list */
    int64_t slab_bytes[2];     /* that a kernel counts twice */
    const struct comparison *comparison;   /* sorted */
    const struct stack_comparison *stacks; /* NULL: not known on both sides */
    struct profile_amounts sums[2];        /* of the rows that are wanted */
    bool has_peaks;      /* no value is asked for, and both sides know them */
    bool has_heap_peaks; /* of the heap alone, which grew more */
    int64_t peaks[2];    /* else of these rows */
    bool is_lossy;       /* a source lacks data or was read while it changed */
    bool is_exceeded;
};

/* What decides, in percent of what was before. */
double diff_percent(const struct diff *diff);

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

/* By how much the peak changed beyond noise, likewise; 0: it did not. */
double diff_peak_percent(const struct diff *diff);

/* Whether a row is the same on both sides, as far as samples can tell. */
bool diff_is_noise(const struct diff *diff, const struct comparison_row *row);

/* To stdout. */
void diff_write_text(const struct diff *diff);
void diff_write_json(const struct diff *diff);
void diff_write_results(const struct diff *diff);

/*
 * Compare the regions of two traces as `diff` asks. `foreign_option` is one
 * that is for call sites alone, or NULL. Returns the exit status.
 */
int trace_diff(struct diff *diff, const char *foreign_option,
               const struct trace_sum sums[2]);
