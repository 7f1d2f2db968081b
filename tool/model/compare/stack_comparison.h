/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_comparison.h - two profiles, stack by stack
 *
 * The stacks of both sides as one tree from the outermost call on. A call that
 * is the same on both sides (call_numbers.h) is one node. Names and lines are
 * those of the later side where it has the call.
 */
#pragma once

#include "tool/model/compare/call_numbers.h"
#include "tool/model/compare/comparison.h"
#include "tool/model/names/call_tree.h"

/*
 * The measures of the tree's nodes. WIDTH is the larger of both sides: calls
 * that are gone have a place beside new ones.
 */
enum {
    COMPARED_WIDTH = MEASURE_LIVE_BYTES,
    COMPARED_BEFORE = MEASURE_PEAK_BYTES,
    COMPARED_AFTER = MEASURE_TOTAL_BYTES,
    COMPARED_BLOCKS_BEFORE = MEASURE_PEAK_BLOCKS,
    COMPARED_BLOCKS_AFTER = MEASURE_TOTAL_BLOCKS,
};

/* Numbers of the calls of a side, so that each is looked up once. */
struct side_calls {
    uint32_t *sites; /* by site, its first stack's call to blame; INDEX_NONE
                        without stacks */
    struct label_texts *labels; /* private from here on; by label number */
    uint32_t *first_inlined; /* by place, its first in `inlined`, which has */
    uint32_t *inlined;       /* all but the innermost call of each place */
    size_t inlined_count;
    uint32_t *frames;    /* by frame, its caller's innermost call */
    uint32_t *callers;   /* by stack, its frame's innermost call */
    uint32_t *innermost; /* by stack, the innermost call */
    size_t count;        /* of the last three, which are one array */
};

struct stack_comparison {
    const struct compared_value *value;
    struct named_profile sides[2];
    struct side_calls calls[2];
    struct call_numbers numbers;
    struct call_tree tree;
    uint32_t *changed; /* nodes where stacks end that hold more or less, the
                          largest change of bytes first */
    size_t changed_count;
    const struct frame_name **names; /* private: by the number of a call */
};

/* Compare two named profiles, which must outlive the comparison. */
void stack_comparison_open(struct stack_comparison *comparison,
                           const struct compared_value *value,
                           const struct named_profile sides[2]);
void stack_comparison_close(struct stack_comparison *comparison);

/* Return the growth in bytes or, of a value without bytes, in blocks. */
int64_t stack_comparison_growth(const struct stack_comparison *comparison,
                                uint32_t node);

/* Return the node of the call to blame for stacks that end at the node. */
uint32_t stack_comparison_blamed(const struct stack_comparison *comparison,
                                 uint32_t node);
