/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_comparison.h - two profiles, stack by stack
 *
 * The stacks of both sides as one tree from the outermost call on, in which a
 * call that is the same on both sides is one node. Names and lines are those of
 * the later side where it has the call.
 *
 * Lines shift and addresses change from one build to the next. So a call is
 * known by the function that it is in, the function that it calls, and its
 * ordinal among the calls of the one to the other, in the order of addresses.
 * Where the two sides have different numbers of these, no match is certain, and
 * they are one call. In one build addresses are the same, and decide.
 */
#pragma once

#include "tool/model/compare/comparison.h"
#include "tool/model/names/call_tree.h"
#include "tool/tables/text_pool.h"

/*
 * What the measures of the tree's nodes stand for. WIDTH is the more of both,
 * so that what is gone has a place beside what is new.
 */
enum {
    COMPARED_WIDTH = MEASURE_LIVE_BYTES,
    COMPARED_BEFORE = MEASURE_PEAK_BYTES,
    COMPARED_AFTER = MEASURE_TOTAL_BYTES,
    COMPARED_BLOCKS_BEFORE = MEASURE_PEAK_BLOCKS,
    COMPARED_BLOCKS_AFTER = MEASURE_TOTAL_BLOCKS,
};

struct matched_side {
    const struct profile *profile;
    struct frame_names *names;
};

/* Private, all of it: numbers of calls, so that each is looked for once. */
struct side_calls {
    uint32_t *first_inlined; /* by place, of what was inlined there, */
    uint32_t *inlined;       /* from the second innermost call on */
    size_t inlined_count;
    uint32_t *frames;    /* by frame, its caller's innermost call; behind
                                them */
    uint32_t *callers;   /* by stack, that of its frame, */
    uint32_t *innermost; /* and of its place or site */
    size_t count;        /* of these three together */
};

struct call_matching {
    struct matched_side sides[2];
    uint32_t id_count; /* of calls that are not the same */
    struct text_pool texts;
    struct side_calls side_calls[2];
    struct label_texts *labels[2]; /* by side and label number */
    struct known_call *calls;
    size_t call_count;
};

struct stack_comparison {
    const struct compared_value *value;
    struct call_matching matching;
    struct call_tree tree;
    uint32_t *changed; /* nodes where stacks end that hold more or less, those
                          whose bytes changed most first */
    size_t changed_count;
    const struct frame_name **names; /* private: by the number of a call */
};

void stack_comparison_open(struct stack_comparison *comparison,
                           const struct compared_value *value,
                           const struct matched_side sides[2]);
void stack_comparison_close(struct stack_comparison *comparison);

/* Of bytes or, of a value that has none, of blocks. */
int64_t stack_comparison_growth(const struct stack_comparison *comparison,
                                uint32_t node);

/* That of the call to blame for what ends at the node. */
uint32_t stack_comparison_blamed(const struct stack_comparison *comparison,
                                 uint32_t node);

/* Into `numbers`, by site, that of the call that it is; UINT32_MAX
   for a site without any. */
void stack_comparison_number_sites(struct stack_comparison *comparison,
                                   unsigned side, uint32_t *numbers);
