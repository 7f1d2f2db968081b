/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_side.h - one of the two sources that are compared
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_SIDE_H
#define TALLY_TOOL_COMMANDS_DIFF_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/commands/trace/loading.h"
#include "tool/model/compare/stack_comparison.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_rows.h"

/* The rows of a source. Begins as zero. */
struct diff_side {
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames; /* NULL: it knows no stacks */
    struct site_rows site_rows;
    struct allocinfo_row *wanted; /* of HEAP sites that the filter passes */
    size_t *wanted_sites;         /* whose row it is */
    size_t wanted_count;
    int64_t slab_bytes; /* of theirs, what are slab pages */
};

/* The source has its profile and stays as long. */
void diff_side_open(struct diff_side *side, const struct loading *source,
                    const struct source_options *options);
void diff_side_close(struct diff_side *side);

/*
 * Give the rows that are wanted of both sides, where their call is the same,
 * one file and line: those of the later side.
 */
void diff_match_lines(struct stack_comparison *stacks,
                      struct diff_side sides[2]);

#endif /* TALLY_TOOL_COMMANDS_DIFF_SIDE_H */
