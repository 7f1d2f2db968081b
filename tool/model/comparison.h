/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.h - two sets of rows, place by place
 *
 * Places are the same if file, line, function and module are; rows of one place
 * are summed first. Numbers wrap at 2^64, as the sums of a profile do.
 *
 *     struct comparison comparison;
 *
 *     if (comparison_open(&comparison, &before, &after) == 0) {
 *         comparison_sort(&comparison, comparison_order_find("growth"));
 *         show(&comparison.rows[0]);
 *     }
 *     comparison_close(&comparison);
 */
#ifndef TALLY_TOOL_MODEL_COMPARISON_H
#define TALLY_TOOL_MODEL_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/allocinfo_text.h"

/* One side. Its rows must stay until the comparison is closed. */
struct comparison_side {
    const struct allocinfo_row *rows;
    size_t count;
};

struct comparison_amounts {
    int64_t bytes;
    int64_t blocks;
    double bytes_variance, blocks_variance; /* growth has the sum of both */
};

enum comparison_state {
    COMPARISON_BOTH, /* the place is on both sides */
    COMPARISON_NEW,
    COMPARISON_GONE,
};

struct comparison_row {
    const struct allocinfo_row *place; /* its names; not its numbers */
    enum comparison_state state;
    struct comparison_amounts before;
    struct comparison_amounts after;
    struct comparison_amounts growth;
    bool is_inaccurate; /* marked on either side: values are wrong */
    bool is_unsure;     /* marked on one side alone: so is the growth */
};

struct comparison {
    struct comparison_row *rows; /* all places, unchanged ones too */
    size_t count;
    struct comparison_amounts before;
    struct comparison_amounts after;
    struct comparison_amounts growth;
    size_t inaccurate_rows; /* of which the growth is right */
    size_t unsure_rows;
};

/* 0, or -1 without memory; comparison_close() in either case. */
int comparison_open(struct comparison *comparison,
                    const struct comparison_side *before,
                    const struct comparison_side *after);
void comparison_close(struct comparison *comparison);

/* Growth in percent of what was before; infinite if there was nothing. */
double comparison_percent(const struct comparison *comparison);

/* By growth, blocks (their growth), before, after, function, file or module:
   amounts largest first. NULL if there is no such order. */
struct comparison_order;
const struct comparison_order *comparison_order_find(const char *name);
const char *comparison_order_name(size_t index); /* NULL behind the last */
void comparison_sort(struct comparison *comparison,
                     const struct comparison_order *order);

#endif /* TALLY_TOOL_MODEL_COMPARISON_H */
