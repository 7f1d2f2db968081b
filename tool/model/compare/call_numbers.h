/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_numbers.h - the calls of two sides, numbered so that equal calls have
 * equal numbers
 *
 * Calls of one function to another are a group. Lines shift and addresses
 * change from one build to the next, so the order of a group's positions
 * decides: with as many on both sides, the first is the first, and so on. Two
 * kinds of positions pair where they are equal, and the order decides about the
 * rest alone: addresses in one build, and lines, unless all lines of the group
 * moved by the same number. If the rest differs in count, no match is certain,
 * and the rest is one call.
 *
 *     struct call_numbers numbers = { .profiles = { before, after } };
 *
 *     ARRAY_ADD(numbers.calls, numbers.call_count, call);
 *     call_numbers_find(&numbers);
 *     use(numbers.calls[0].number); // below numbers.count
 */
#pragma once

#include <stdbool.h>

#include "tool/model/profile/profile.h"

/* Texts by their numbers in the pool; INDEX_NONE: none. */
struct call_group {
    uint32_t function;
    uint32_t module;
    uint32_t callee; /* none: the allocation function; with lines the file */
};

struct numbered_call {
    struct call_group group;
    uint32_t number; /* set by call_numbers_find() */
    uint32_t side;   /* 0 or 1 */
    uint32_t module; /* index in the profile, or PROFILE_NO_MODULE */
    uint64_t position;
    bool has_line; /* the position is a line, not an address */
};

struct call_numbers {
    const struct profile *profiles[2];
    struct numbered_call *calls;
    size_t call_count;
    struct text_pool texts;
    uint32_t count; /* different numbers */
};

/* Number all calls that were added. */
void call_numbers_find(struct call_numbers *numbers);

/* Free calls and texts; counts stay. */
void call_numbers_free(struct call_numbers *numbers);
