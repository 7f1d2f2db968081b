/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_side.h - one of the two sources that are compared
 */
#ifndef TALLY_TOOL_COMMANDS_DIFF_SIDE_H
#define TALLY_TOOL_COMMANDS_DIFF_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/commands/options/options.h"
#include "tool/model/compare/stack_comparison.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/site_rows.h"
#include "tool/model/sources/loaders.h"
#include "tool/model/trace/trace_sum.h"

/* A source, and what is read of it. */
struct diff_input {
    const char *name;
    struct source source;
    struct trace_sum sum; /* if it is a trace */
    bool is_trace, has_calls;
    bool has_all;            /* with all other images */
    struct profile *profile; /* loaded, until a side has it */
};

/* COMMAND_DONE, or how the command ends. What the source was read into is given
   back: there is memory for one at a time. */
int diff_input_load(struct diff_input *input, const struct elf_option *elf);

/* Its rows. Begins as zero. */
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

/* Likewise, of an input that is loaded; close it in either case. */
int diff_side_open(struct diff_side *side, struct diff_input *input,
                   const struct source_options *options);
void diff_side_close(struct diff_side *side);

/*
 * Give the rows that are wanted of both sides, where their call is the same,
 * one file and line: those of the later side. 0, or -1 without memory.
 */
int diff_match_lines(const struct stack_comparison *stacks,
                     struct diff_side sides[2]);

#endif /* TALLY_TOOL_COMMANDS_DIFF_SIDE_H */
