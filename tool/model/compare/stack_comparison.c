/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_comparison.c - two profiles, stack by stack
 *
 * First, which calls are the same in the source. Each call is met once: those
 * of sites with what they call unknown, those of frames with the function of
 * each frame that they are the parent of, and those that were inlined with the
 * function inside. Calls of one function to another are a group. Calls are
 * sorted by group, side and address, and numbered in that order. Then the
 * stacks of both sides become one tree, of calls by their numbers.
 *
 * This file is long because calls are collected, numbered and compared here.
 */
#include "tool/model/compare/stack_comparison.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/compare/comparison.h"
#include "tool/tables/array.h"

/* A call: where, and what it calls. */
struct matched_call {
    uint32_t place; /* or STACK_NO_PLACE */
    const struct frame_name *name;
    const struct frame_name *callee; /* NULL: the allocation function */
};

/* The texts of a call, by number; UINT32_MAX for none. */
struct call_group {
    uint32_t function;
    uint32_t module;
    uint32_t callee;
};

struct known_call {
    struct call_group group;
    uint32_t id;
    uint32_t side;
    uint32_t module;  /* of the profile, or PROFILE_NO_MODULE */
    uint64_t address; /* or line, where there is none */
};

/* Texts of a name, by its label number; NOT_LOOKED_UP until it is met. */
struct label_texts {
    uint32_t function;
    uint32_t module;
};

enum { NOT_LOOKED_UP = UINT32_MAX - 1 };

/* Programs are the same whatever they are called. */
static const char *module_of(const struct matched_side *side,
                             const struct matched_call *call)
{
    uint32_t module = PROFILE_NO_MODULE;

    if (call->place != STACK_NO_PLACE)
        module = side->profile->stacks.places[call->place].module;
    if (module != PROFILE_NO_MODULE &&
        side->profile->modules[module].is_executable)
        return NULL;
    return call->name->name.module == NULL ? NULL
                                           : base_name(call->name->name.module);
}

static uint32_t function_of(struct call_matching *matching, unsigned side,
                            const struct frame_name *name)
{
    uint32_t *known = &matching->labels[side][name->label_number].function;

    if (*known == NOT_LOOKED_UP)
        *known = text_pool_add(&matching->texts, name->label);
    return *known;
}

static struct call_group group_of(struct call_matching *matching, unsigned side,
                                  const struct matched_call *call)
{
    uint32_t *module = &matching->labels[side][call->name->label_number].module;
    struct call_group group = {
        .function = function_of(matching, side, call->name),
        .callee = call->callee == NULL
                      ? UINT32_MAX
                      : function_of(matching, side, call->callee),
    };

    if (*module == NOT_LOOKED_UP)
        *module = text_pool_add(&matching->texts,
                                module_of(&matching->sides[side], call));
    group.module = *module;
    return group;
}

/* Its number; it is new. */
static uint32_t add_call(struct call_matching *matching, unsigned side,
                         const struct matched_call *call)
{
    const struct stacks *stacks = &matching->sides[side].profile->stacks;
    bool is_site = call->place == STACK_NO_PLACE;
    const struct known_call known = {
        .group = group_of(matching, side, call),
        .side = side,
        .module =
            is_site ? PROFILE_NO_MODULE : stacks->places[call->place].module,
        .address = is_site ? call->name->name.line
                           : stacks->places[call->place].address,
    };

    ARRAY_ADD(matching->calls, matching->call_count, known);
    return (uint32_t)matching->call_count - 1;
}

/* The function that the code of a place is part of, which what was inlined
   there comes before; of STACK_NO_PLACE the site's. */
static const struct frame_name *function_at(const struct matched_side *side,
                                            uint32_t place, uint32_t site)
{
    const struct frame_name *names;
    size_t count;

    if (place == STACK_NO_PLACE)
        return frame_names_of_site(side->names, site);
    names = frame_names_find(side->names, place, &count);
    return &names[count - 1];
}

/* Calls that were inlined, which are the same whatever a place calls. */
static void add_inlined(struct call_matching *matching, unsigned side)
{
    struct side_calls *calls = &matching->side_calls[side];
    const struct matched_side *of = &matching->sides[side];
    size_t place_count = of->profile->stacks.place_count;

    calls->first_inlined =
        memory_zeroed(place_count + 1, sizeof *calls->first_inlined);
    for (uint32_t place = 0; place < place_count; place++) {
        size_t count;
        const struct frame_name *names =
            frame_names_find(of->names, place, &count);

        calls->first_inlined[place] = (uint32_t)calls->inlined_count;
        for (size_t i = 1; i < count; i++) {
            const struct matched_call call = { place, &names[i],
                                               &names[i - 1] };

            ARRAY_ADD(calls->inlined, calls->inlined_count,
                      add_call(matching, side, &call));
        }
    }
}

/* Where a call returns to that a number is of: first those that frames were
   called from, then those that stacks were, then the stacks' own. */
static uint32_t place_at(const struct stacks *stacks, size_t number)
{
    uint32_t caller;

    if (number >= stacks->frame_count + stacks->stack_count)
        return stacks
            ->stacks[number - stacks->frame_count - stacks->stack_count]
            .place;
    caller = number < stacks->frame_count
                 ? stacks->frames[number].parent
                 : stacks->stacks[number - stacks->frame_count].frame;
    return stacks_is_frame(caller) ? stacks->frames[caller].place
                                   : STACK_NO_PLACE;
}

static const struct frame_name *callee_at(const struct matched_side *of,
                                          size_t number)
{
    const struct stacks *stacks = &of->profile->stacks;
    const struct profile_stack *stack;

    if (number < stacks->frame_count)
        return function_at(of, stacks->frames[number].place, 0);
    number -= stacks->frame_count;
    if (number >= stacks->stack_count)
        return NULL;
    stack = &stacks->stacks[number];
    return function_at(of, stack->place, stack->site);
}

/* What numbers are of, by place; those of a place are behind each other, up to
   its end. */
static uint32_t *sort_by_place(const struct stacks *stacks, size_t count,
                               uint32_t *ends)
{
    uint32_t *order = memory_zeroed(count + 1, sizeof *order);

    for (size_t i = 1; i < count; i++) {
        uint32_t place = place_at(stacks, i);

        if (place != STACK_NO_PLACE)
            ends[place + 1]++;
    }
    for (size_t i = 0; i < stacks->place_count; i++)
        ends[i + 1] += ends[i];
    for (size_t i = 1; i < count; i++) {
        uint32_t place = place_at(stacks, i);

        if (place != STACK_NO_PLACE)
            order[ends[place]++] = (uint32_t)i;
    }
    return order;
}

/* Each call at a place once, by the label of what it calls: no table of them
   would fit a cache. */
static void add_places(struct call_matching *matching, unsigned side,
                       size_t count, uint32_t *numbers)
{
    const struct matched_side *of = &matching->sides[side];
    const struct stacks *stacks = &of->profile->stacks;
    uint32_t labels = frame_names_label_limit(of->names);
    size_t *known = memory_zeroed(labels + UINT64_C(1), sizeof *known);
    uint32_t *ends = memory_zeroed(stacks->place_count + 1, sizeof *ends);
    uint32_t *order = sort_by_place(stacks, count, ends);
    size_t at = 0;

    for (uint32_t place = 0; place < stacks->place_count; place++) {
        size_t before = matching->call_count, names;
        struct matched_call call = { place,
                                     frame_names_find(of->names, place, &names),
                                     NULL };

        for (; at < ends[place]; at++) {
            size_t *number;

            call.callee = callee_at(of, order[at]);
            number = &known[call.callee == NULL ? labels
                                                : call.callee->label_number];
            if (*number <= before)
                *number = add_call(matching, side, &call) + UINT64_C(1);
            numbers[order[at]] = (uint32_t)*number - 1;
        }
    }
    free(order);
    free(ends);
    free(known);
}

static void collect(struct call_matching *matching, unsigned side)
{
    struct side_calls *calls = &matching->side_calls[side];
    const struct matched_side *of = &matching->sides[side];
    const struct stacks *stacks = &of->profile->stacks;
    size_t *sites = memory_zeroed(of->profile->site_count, sizeof *sites);

    add_inlined(matching, side);
    calls->count = stacks->frame_count + 2 * stacks->stack_count;
    calls->frames = memory_zeroed(calls->count + 1, sizeof *calls->frames);
    calls->callers = calls->frames + stacks->frame_count;
    calls->innermost = calls->callers + stacks->stack_count;
    add_places(matching, side, calls->count, calls->frames);
    for (size_t i = 0; i < stacks->stack_count; i++) {
        size_t site = stacks->stacks[i].site;
        const struct matched_call call = {
            STACK_NO_PLACE, function_at(of, STACK_NO_PLACE, (uint32_t)site),
            NULL
        };

        if (stacks->stacks[i].place != STACK_NO_PLACE)
            continue;
        if (sites[site] == 0)
            sites[site] = add_call(matching, side, &call) + UINT64_C(1);
        calls->innermost[i] = (uint32_t)sites[site] - 1;
    }
    free(sites);
}

static void make_labels(struct call_matching *matching, unsigned side)
{
    uint32_t count = frame_names_label_limit(matching->sides[side].names);
    struct label_texts *labels =
        memory_zeroed(count + UINT64_C(1), sizeof *labels);

    for (uint32_t i = 0; i < count; i++)
        labels[i] = (struct label_texts){ NOT_LOOKED_UP, NOT_LOOKED_UP };
    matching->labels[side] = labels;
}

static int compare_groups(const struct call_group *a,
                          const struct call_group *b)
{
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return (a->module > b->module) - (a->module < b->module);
}

static int compare_calls(const void *left, const void *right)
{
    const struct known_call *a = *(struct known_call *const *)left;
    const struct known_call *b = *(struct known_call *const *)right;
    int order = compare_groups(&a->group, &b->group);

    if (order != 0)
        return order;
    if (a->side != b->side)
        return a->side < b->side ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static bool is_one_build(const struct call_matching *matching,
                         const struct known_call *a, const struct known_call *b)
{
    const struct profile_module *of_a, *of_b;

    if (a->module == PROFILE_NO_MODULE || b->module == PROFILE_NO_MODULE)
        return false;
    of_a = &matching->sides[a->side].profile->modules[a->module];
    of_b = &matching->sides[b->side].profile->modules[b->module];
    return of_a->build_id_size > 0 &&
           of_a->build_id_size == of_b->build_id_size &&
           memcmp(of_a->build_id, of_b->build_id, of_a->build_id_size) == 0;
}

/* Ordinals of the addresses of one side; how many there are. */
static uint32_t number_side(struct known_call **calls, size_t count,
                            uint32_t first)
{
    uint32_t ordinal = 0;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && calls[i]->address != calls[i - 1]->address)
            ordinal++;
        calls[i]->id = first + ordinal;
    }
    return count == 0 ? 0 : ordinal + 1;
}

/* Both sides are sorted by address. */
static uint32_t number_by_address(struct known_call **before,
                                  size_t before_count,
                                  struct known_call **after, size_t after_count,
                                  uint32_t id)
{
    size_t i = 0, j = 0;

    while (i < before_count || j < after_count) {
        uint64_t address =
            i < before_count ? before[i]->address : after[j]->address;

        if (j < after_count && after[j]->address < address)
            address = after[j]->address;
        for (; i < before_count && before[i]->address == address; i++)
            before[i]->id = id;
        for (; j < after_count && after[j]->address == address; j++)
            after[j]->id = id;
        id++;
    }
    return id;
}

static void number_calls(struct call_matching *matching,
                         struct known_call **calls, size_t count)
{
    uint32_t id = matching->id_count;
    uint32_t numbers[2];
    size_t split = 0;

    while (split < count && calls[split]->side == 0)
        split++;
    if (split > 0 && split < count &&
        is_one_build(matching, calls[0], calls[split])) {
        matching->id_count =
            number_by_address(calls, split, calls + split, count - split, id);
        return;
    }
    numbers[0] = number_side(calls, split, id);
    numbers[1] = number_side(calls + split, count - split, id);
    matching->id_count += numbers[0] > numbers[1] ? numbers[0] : numbers[1];
    if (numbers[0] == numbers[1] || numbers[0] == 0 || numbers[1] == 0)
        return;
    for (size_t i = 0; i < count; i++)
        calls[i]->id = id;
}

/* By function first, of which there are few calls each. */
static struct known_call **sort_calls(const struct call_matching *matching)
{
    size_t count = matching->call_count, functions = matching->texts.count;
    struct known_call **order = memory_zeroed(count + 1, sizeof(*order));
    size_t *ends = memory_zeroed(functions + 2, sizeof *ends);

    for (size_t i = 0; i < count; i++)
        ends[matching->calls[i].group.function + 1]++;
    for (size_t i = 1; i <= functions; i++)
        ends[i] += ends[i - 1];
    for (size_t i = 0; i < count; i++)
        order[ends[matching->calls[i].group.function]++] = &matching->calls[i];
    for (size_t i = 0, start = 0; i < functions; start = ends[i++])
        ARRAY_SORT(order + start, ends[i] - start, compare_calls);
    free(ends);
    return order;
}

static void number_all(struct call_matching *matching)
{
    size_t count = matching->call_count;
    struct known_call **order = sort_calls(matching);

    for (size_t start = 0, end; start < count; start = end) {
        for (end = start;
             end < count &&
             compare_groups(&order[end]->group, &order[start]->group) == 0;
             end++)
            ;
        number_calls(matching, order + start, end - start);
    }
    free(order);
}

/* From here on numbers of calls are those that are the same on both sides. */
static void take_ids(const struct call_matching *matching, uint32_t *numbers,
                     size_t count)
{
    for (size_t i = 0; i < count && matching->call_count > 0; i++)
        numbers[i] = matching->calls[numbers[i]].id;
}

/* The innermost call of a stack that is not folded. */
static uint32_t blamed_call(const struct call_matching *matching, unsigned side,
                            size_t number)
{
    const struct matched_side *of = &matching->sides[side];
    const struct side_calls *calls = &matching->side_calls[side];
    const struct stacks *stacks = &of->profile->stacks;
    const struct profile_stack *stack = &stacks->stacks[number];
    uint32_t folded = frame_names_folded(of->names, stack);
    uint32_t frame = stack->frame, place = stack->place;
    uint32_t call = calls->innermost[number], caller = calls->callers[number];
    size_t count;

    (void)frame_names_of_stack(of->names, stack, &count);
    while (folded >= count && stacks_is_frame(frame)) {
        folded -= (uint32_t)count;
        place = stacks->frames[frame].place;
        call = caller;
        caller = calls->frames[frame];
        frame = stacks->frames[frame].parent;
        (void)frame_names_find(of->names, place, &count);
    }
    if (folded > 0)
        call = calls->inlined[calls->first_inlined[place] + folded - 1];
    return call;
}

/* The child with that number, called as the later side does. */
static uint32_t child_of(struct stack_comparison *comparison, uint32_t node,
                         uint32_t id, const struct frame_name *name)
{
    if (comparison->names[id] == NULL)
        comparison->names[id] = name;
    return call_tree_child(&comparison->tree, node, id, comparison->names[id]);
}

static void add_amount(struct call_tree *tree, uint32_t node, unsigned which,
                       const struct profile_amounts *amounts,
                       enum measure measure)
{
    int64_t *own = &call_tree_end(tree, node)[which];

    *own = (int64_t)((uint64_t)*own + (uint64_t)compared_of(amounts, measure));
    if (tree->variances != NULL)
        tree->variances[tree->nodes[node].end].own[which] +=
            measure_variance(amounts, measure);
}

static void add_amounts(struct stack_comparison *comparison, uint32_t node,
                        unsigned side, const struct profile_amounts *amounts)
{
    const struct compared_value *value = comparison->value;
    int64_t *own = call_tree_end(&comparison->tree, node);

    add_amount(&comparison->tree, node,
               side == 0 ? COMPARED_BEFORE : COMPARED_AFTER, amounts,
               value->bytes);
    add_amount(&comparison->tree, node,
               side == 0 ? COMPARED_BLOCKS_BEFORE : COMPARED_BLOCKS_AFTER,
               amounts, value->blocks);
    own[COMPARED_WIDTH] = own[COMPARED_BEFORE] > own[COMPARED_AFTER]
                              ? own[COMPARED_BEFORE]
                              : own[COMPARED_AFTER];
}

/* From the node of its caller to that of a place's innermost call, whose number
   is `innermost`. */
static uint32_t descend(struct stack_comparison *comparison, unsigned side,
                        uint32_t place, uint32_t innermost, uint32_t node)
{
    const struct call_matching *matching = &comparison->matching;
    const struct side_calls *calls = &matching->side_calls[side];
    size_t count;
    const struct frame_name *names =
        frame_names_find(matching->sides[side].names, place, &count);

    while (count-- > 0) {
        uint32_t number =
            count == 0
                ? innermost
                : calls->inlined[calls->first_inlined[place] + count - 1];

        node = child_of(comparison, node, number, &names[count]);
    }
    return node;
}

/* The node of the frame `caller`, whose innermost call is `innermost`. */
static uint32_t find_caller(struct stack_comparison *comparison, unsigned side,
                            const uint32_t *above, uint32_t caller,
                            uint32_t innermost)
{
    const struct call_matching *matching = &comparison->matching;

    if (caller == STACK_CUT)
        return child_of(comparison, 0, matching->id_count, &frame_truncated);
    if (caller == STACK_WHOLE)
        return 0;
    return descend(comparison, side,
                   matching->sides[side].profile->stacks.frames[caller].place,
                   innermost, above[caller]);
}

static void add_stack(struct stack_comparison *comparison, unsigned side,
                      const uint32_t *above, size_t number)
{
    const struct call_matching *matching = &comparison->matching;
    const struct side_calls *calls = &matching->side_calls[side];
    const struct matched_side *of = &matching->sides[side];
    const struct profile_stack *stack = &of->profile->stacks.stacks[number];
    uint32_t innermost = calls->innermost[number];
    uint32_t node = find_caller(comparison, side, above, stack->frame,
                                calls->callers[number]);

    if (stack->place != STACK_NO_PLACE)
        node = descend(comparison, side, stack->place, innermost, node);
    else
        node = child_of(comparison, node, innermost,
                        frame_names_of_site(of->names, stack->site));
    add_amounts(comparison, node, side, &stack->amounts);
    comparison->tree.ends[comparison->tree.nodes[node].end].folded =
        frame_names_folded(of->names, stack);
}

/* Frames first, each once: `above` has the node that each was called from. */
static void add_side(struct stack_comparison *comparison, unsigned side)
{
    const struct call_matching *matching = &comparison->matching;
    const struct stacks *stacks = &matching->sides[side].profile->stacks;
    uint32_t *above = memory_zeroed(stacks->frame_count + 1, sizeof *above);

    for (size_t i = 1; i < stacks->frame_count; i++)
        above[i] =
            find_caller(comparison, side, above, stacks->frames[i].parent,
                        matching->side_calls[side].frames[i]);
    for (size_t i = 0; i < stacks->stack_count; i++)
        add_stack(comparison, side, above, i);
    free(above);
}

int64_t stack_comparison_growth(const struct stack_comparison *comparison,
                                uint32_t node)
{
    const int64_t *own = call_tree_own(&comparison->tree, node);

    return comparison->value->is_of_blocks
               ? (int64_t)((uint64_t)own[COMPARED_BLOCKS_AFTER] -
                           (uint64_t)own[COMPARED_BLOCKS_BEFORE])
               : (int64_t)((uint64_t)own[COMPARED_AFTER] -
                           (uint64_t)own[COMPARED_BEFORE]);
}

struct change {
    int64_t growth;
    uint32_t node;
};

static int compare_changes(const void *left, const void *right)
{
    const struct change *a = left, *b = right;
    int order = comparison_by_change(a->growth, b->growth);

    return order != 0 ? order : (a->node > b->node) - (a->node < b->node);
}

/* Growth stands in what is sorted: no tree would fit a cache. */
static void list_changes(struct stack_comparison *comparison)
{
    struct change *changes = NULL;
    size_t count = 0;

    for (uint32_t i = 0; i < comparison->tree.count; i++) {
        const int64_t *own = call_tree_own(&comparison->tree, i);

        if (own[COMPARED_BEFORE] != own[COMPARED_AFTER] ||
            own[COMPARED_BLOCKS_BEFORE] != own[COMPARED_BLOCKS_AFTER])
            ARRAY_ADD(
                changes, count,
                (struct change){ stack_comparison_growth(comparison, i), i });
    }
    ARRAY_SORT(changes, count, compare_changes);
    comparison->changed = memory_zeroed(count, sizeof *comparison->changed);
    comparison->changed_count = count;
    for (size_t i = 0; i < count; i++)
        comparison->changed[i] = changes[i].node;
    free(changes);
}

uint32_t stack_comparison_blamed(const struct stack_comparison *comparison,
                                 uint32_t node)
{
    const struct call_node *nodes = comparison->tree.nodes;
    uint32_t folded = comparison->tree.ends[nodes[node].end].folded;

    while (folded-- > 0)
        node = nodes[node].parent;
    return node;
}

void stack_comparison_open(struct stack_comparison *comparison,
                           const struct compared_value *value,
                           const struct matched_side sides[2])
{
    struct call_matching *matching = &comparison->matching;

    *comparison = (struct stack_comparison){
        .value = value,
        .matching = { .sides = { sides[0], sides[1] } },
        .tree = { .profile =
                      sides[sides[0].profile->sample_interval <= 1].profile },
    };
    make_labels(matching, 0);
    make_labels(matching, 1);
    collect(matching, 0);
    collect(matching, 1);
    number_all(matching);
    for (unsigned side = 0; side < 2; side++) {
        struct side_calls *calls = &matching->side_calls[side];

        take_ids(matching, calls->frames, calls->count);
        take_ids(matching, calls->inlined, calls->inlined_count);
    }
    free(matching->calls);
    matching->calls = NULL;
    call_tree_make_root(&comparison->tree);
    INDEX_EXPECT(&comparison->tree.table, INDEX_KEY(struct call_node, number),
                 comparison->tree.nodes, sides[1].profile->stacks.frame_count);
    comparison->names = memory_zeroed(matching->id_count + UINT64_C(1),
                                      sizeof *comparison->names);
    add_side(comparison, 1);
    add_side(comparison, 0);
    list_changes(comparison);
}

void stack_comparison_close(struct stack_comparison *comparison)
{
    struct call_matching *matching = &comparison->matching;

    text_pool_free(&matching->texts);
    for (unsigned side = 0; side < 2; side++) {
        free(matching->labels[side]);
        free(matching->side_calls[side].first_inlined);
        free(matching->side_calls[side].inlined);
        free(matching->side_calls[side].frames);
    }
    call_tree_close(&comparison->tree);
    free(comparison->changed);
    free(comparison->names);
    *comparison = (struct stack_comparison){ 0 };
}

void stack_comparison_number_sites(struct stack_comparison *comparison,
                                   unsigned side, uint32_t *numbers)
{
    const struct call_matching *matching = &comparison->matching;
    const struct matched_side *of = &matching->sides[side];
    const struct stacks *stacks = &of->profile->stacks;

    for (size_t i = 0; i < of->profile->site_count; i++)
        numbers[i] = UINT32_MAX;
    for (size_t i = 0; i < stacks->stack_count; i++) {
        uint32_t *number = &numbers[stacks->stacks[i].site];

        if (*number == UINT32_MAX)
            *number = blamed_call(matching, side, i);
    }
}
