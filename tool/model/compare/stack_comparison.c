/* SPDX-License-Identifier: Apache-2.0 */
/* stack_comparison.c - see stack_comparison.h */
#include "tool/model/compare/stack_comparison.h"

#include <stdlib.h>

#include "tool/model/compare/comparison.h"

static const struct frame_name *name_of(struct stack_comparison *comparison,
                                        uint32_t id,
                                        const struct frame_name *name)
{
    struct frame_name *own = &comparison->names[id];

    if (own->label == NULL) {
        *own = *name;
        own->call_number = id;
    }
    return own;
}

static int add_amounts(struct call_tree *tree, uint32_t node, unsigned side,
                       const struct profile_amounts *amounts)
{
    int64_t *own = call_tree_end(tree, node);
    int64_t *bytes, *blocks;

    if (own == NULL)
        return -1;
    bytes = &own[side == 0 ? COMPARED_BEFORE : COMPARED_AFTER];
    blocks = &own[side == 0 ? COMPARED_BLOCKS_BEFORE : COMPARED_BLOCKS_AFTER];
    *bytes = (int64_t)((uint64_t)*bytes + (uint64_t)amounts->live_bytes);
    *blocks = (int64_t)((uint64_t)*blocks + (uint64_t)amounts->live_blocks);
    own[COMPARED_WIDTH] = own[COMPARED_BEFORE] > own[COMPARED_AFTER]
                              ? own[COMPARED_BEFORE]
                              : own[COMPARED_AFTER];
    return 0;
}

/* From the node of its caller to that of a place's innermost call, which calls
   `callee`. */
static int descend(struct stack_comparison *comparison, unsigned side,
                   uint32_t place, const struct frame_name *callee,
                   uint32_t *node)
{
    size_t count;
    const struct frame_name *names =
        frame_names_find(comparison->matching.sides[side].names, place, &count);

    if (names == NULL)
        return -1;
    while (count-- > 0) {
        const struct matched_call call = {
            .place = place,
            .element = (uint32_t)count,
            .name = &names[count],
            .callee = count > 0 ? &names[count - 1] : callee,
        };
        uint32_t id = call_matching_find(&comparison->matching, side, &call);

        if (call_tree_child(&comparison->tree, *node,
                            name_of(comparison, id, call.name), node) < 0)
            return -1;
    }
    return 0;
}

/* The node of the frame `caller`, as it calls `callee`. */
static int find_caller(struct stack_comparison *comparison, unsigned side,
                       const uint32_t *above, uint32_t caller,
                       const struct frame_name *callee, uint32_t *node)
{
    static const struct frame_name truncated = { .label = "[truncated]" };
    const struct stacks *stacks =
        &comparison->matching.sides[side].profile->stacks;

    *node = 0;
    if (caller == STACK_CUT)
        return call_tree_child(
            &comparison->tree, 0,
            name_of(comparison, comparison->matching.id_count, &truncated),
            node);
    if (caller == STACK_WHOLE)
        return 0;
    *node = above[caller];
    return descend(comparison, side, stacks->frames[caller].place, callee,
                   node);
}

static int add_stack(struct stack_comparison *comparison, unsigned side,
                     const uint32_t *above, const struct profile_stack *stack)
{
    const struct matched_side *of = &comparison->matching.sides[side];
    const struct frame_name *callee =
        call_matching_function(of, stack->place, stack->site);
    uint32_t node;
    int error =
        find_caller(comparison, side, above, stack->frame, callee, &node);

    if (error == 0 && stack->place != STACK_NO_PLACE) {
        error = descend(comparison, side, stack->place, NULL, &node);
    } else if (error == 0) {
        struct matched_call call = call_matching_innermost(of, stack);
        uint32_t id = call_matching_find(&comparison->matching, side, &call);

        error = call_tree_child(&comparison->tree, node,
                                name_of(comparison, id, callee), &node);
    }
    if (error == 0)
        error = add_amounts(&comparison->tree, node, side, &stack->amounts);
    return error;
}

/* Frames first, each once: `above` has the node that each was called from. */
static int add_side(struct stack_comparison *comparison, unsigned side)
{
    const struct matched_side *of = &comparison->matching.sides[side];
    const struct stacks *stacks = &of->profile->stacks;
    uint32_t *above = calloc(stacks->frame_count + 1, sizeof *above);
    int error = above == NULL ? -1 : 0;

    for (size_t i = 1; error == 0 && i < stacks->frame_count; i++)
        error = find_caller(
            comparison, side, above, stacks->frames[i].parent,
            call_matching_function(of, stacks->frames[i].place, 0), &above[i]);
    for (size_t i = 0; error == 0 && i < stacks->stack_count; i++)
        error = add_stack(comparison, side, above, &stacks->stacks[i]);
    free(above);
    return error;
}

int64_t stack_comparison_growth(const struct stack_comparison *comparison,
                                uint32_t node)
{
    const int64_t *own = call_tree_own(&comparison->tree, node);

    return (int64_t)((uint64_t)own[COMPARED_AFTER] -
                     (uint64_t)own[COMPARED_BEFORE]);
}

static int compare_changes(const void *left, const void *right, void *argument)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = comparison_by_change(stack_comparison_growth(argument, a),
                                     stack_comparison_growth(argument, b));

    return order != 0 ? order : (a > b) - (a < b);
}

static int list_changes(struct stack_comparison *comparison)
{
    comparison->changed =
        calloc(comparison->tree.count + 1, sizeof *comparison->changed);
    if (comparison->changed == NULL)
        return -1;
    for (size_t i = 0; i < comparison->tree.count; i++) {
        const int64_t *own = call_tree_own(&comparison->tree, i);

        if (own[COMPARED_BEFORE] != own[COMPARED_AFTER] ||
            own[COMPARED_BLOCKS_BEFORE] != own[COMPARED_BLOCKS_AFTER])
            comparison->changed[comparison->changed_count++] = (uint32_t)i;
    }
    qsort_r(comparison->changed, comparison->changed_count,
            sizeof *comparison->changed, compare_changes, comparison);
    return 0;
}

int stack_comparison_open(struct stack_comparison *comparison,
                          const struct matched_side sides[2])
{
    *comparison = (struct stack_comparison){
        .tree = { .key = CALL_TREE_BY_LINE },
    };
    if (call_matching_open(&comparison->matching, sides) < 0 ||
        call_tree_make_root(&comparison->tree) < 0)
        return -1;
    comparison->names = calloc(comparison->matching.id_count + UINT64_C(1),
                               sizeof *comparison->names);
    if (comparison->names == NULL || add_side(comparison, 1) < 0 ||
        add_side(comparison, 0) < 0)
        return -1;
    return list_changes(comparison);
}

void stack_comparison_close(struct stack_comparison *comparison)
{
    call_tree_close(&comparison->tree);
    call_matching_close(&comparison->matching);
    free(comparison->changed);
    free(comparison->names);
    *comparison = (struct stack_comparison){ 0 };
}

void stack_comparison_number_sites(const struct stack_comparison *comparison,
                                   unsigned side, uint32_t *numbers)
{
    const struct matched_side *of = &comparison->matching.sides[side];
    const struct stacks *stacks = &of->profile->stacks;

    for (size_t i = 0; i < of->profile->site_count; i++)
        numbers[i] = UINT32_MAX;
    for (size_t i = 0; i < stacks->stack_count; i++) {
        uint32_t *number = &numbers[stacks->stacks[i].site];
        struct matched_call call;

        if (*number != UINT32_MAX)
            continue;
        call = call_matching_innermost(of, &stacks->stacks[i]);
        *number = call_matching_find(&comparison->matching, side, &call);
    }
}
