/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_matching.h - which calls of two profiles are the same in the source
 *
 * Lines shift and addresses change from one build to the next. So a call is
 * known by the function that it is in, the function that it calls, and its
 * ordinal among the calls of the one to the other, in the order of addresses.
 * Where the two sides have different numbers of these, no match is certain, and
 * they are one call. In one build addresses are the same, and decide.
 *
 *     struct call_matching matching;
 *     const struct matched_side sides[2] = { ... };
 *
 *     if (call_matching_open(&matching, sides) == 0)
 *         same = call_matching_find(&matching, 0, &a) ==
 *                call_matching_find(&matching, 1, &b);
 *     call_matching_close(&matching);
 */
#ifndef TALLY_TOOL_MODEL_CALL_MATCHING_H
#define TALLY_TOOL_MODEL_CALL_MATCHING_H

#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/frame_names.h"
#include "tool/tables/text_pool.h"

struct matched_side {
    const struct profile *profile;
    struct frame_names *names;
};

/* A call: where, which of those that were inlined there, and what it calls. */
struct matched_call {
    uint32_t place;   /* or STACK_NO_PLACE */
    uint32_t site;    /* of STACK_NO_PLACE; else 0 */
    uint32_t element; /* of the names of the place */
    const struct frame_name *name;
    const struct frame_name *callee; /* NULL: the allocation function */
};

struct call_matching {
    struct matched_side sides[2];
    uint32_t id_count;             /* of calls that are not the same */
    struct text_pool texts;        /* private from here on */
    struct label_texts *labels[2]; /* by side and label number */
    struct index_table call_table;
    struct index_table group_table;
    struct known_call *calls;
    size_t call_count;
    struct call_group *groups;
    size_t group_count;
};

/* 0, or -1 without memory; close it in either case. */
int call_matching_open(struct call_matching *matching,
                       const struct matched_side sides[2]);
void call_matching_close(struct call_matching *matching);

/* Calls that are the same have one number, below id_count. */
uint32_t call_matching_find(const struct call_matching *matching, unsigned side,
                            const struct matched_call *call);

/* The innermost call of a stack. */
struct matched_call call_matching_innermost(const struct matched_side *side,
                                            const struct profile_stack *stack);

/* The function that the code of a place is part of, which what was inlined
   there comes before; of STACK_NO_PLACE the site's. NULL without memory. */
const struct frame_name *call_matching_function(const struct matched_side *side,
                                                uint32_t place, uint32_t site);

#endif /* TALLY_TOOL_MODEL_CALL_MATCHING_H */
