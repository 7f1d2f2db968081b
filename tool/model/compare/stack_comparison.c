/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_comparison.c - two profiles, stack by stack
 *
 * First find which calls are the same in the source (call_numbers.c). Each call
 * is met once: a site with an unknown callee, a frame with the function of each
 * frame that it is the parent of, an inlined call with the function inside.
 * Then make one tree of the stacks of both sides, with calls by their numbers.
 *
 * This file is long because calls are collected and compared here.
 */
#include "tool/model/compare/compare.h"

/* Texts of a name, by its label number; NOT_LOOKED_UP until it is met. */
struct label_texts {
    uint32_t function;
    uint32_t module;
};

enum { NOT_LOOKED_UP = UINT32_MAX - 1 };

static uint32_t function_of(struct stack_comparison *comparison, unsigned side,
                            const struct frame_name *name)
{
    uint32_t *known =
        &comparison->calls[side].labels[name->label_number].function;

    if (*known == NOT_LOOKED_UP)
        *known = text_pool_add(&comparison->numbers.texts, name->label);
    return *known;
}

/* An executable has no name here: it may be called otherwise on one side. */
static uint32_t module_of(struct stack_comparison *comparison, unsigned side,
                          uint32_t module, const struct frame_name *name)
{
    const struct profile *profile = comparison->sides[side].profile;
    uint32_t *known =
        &comparison->calls[side].labels[name->label_number].module;
    bool has_name =
        name->name.module != NULL && (module == PROFILE_NO_MODULE ||
                                      !profile->modules[module].is_executable);

    if (*known == NOT_LOOKED_UP)
        *known = text_pool_add(&comparison->numbers.texts,
                               has_name ? base_name(name->name.module) : NULL);
    return *known;
}

/* Return the index of the call, which is new. A callee of NULL is the
   allocation function. */
static uint32_t add_call(struct stack_comparison *comparison, unsigned side,
                         uint32_t place, const struct frame_name *name,
                         const struct frame_name *callee)
{
    static const struct profile_place none = { .module = PROFILE_NO_MODULE };
    struct call_numbers *numbers = &comparison->numbers;
    bool has_line = place == STACK_NO_PLACE;
    const struct profile_place *at =
        has_line ? &none
                 : &comparison->sides[side].profile->stacks.places[place];
    struct numbered_call call = {
        .group.function = function_of(comparison, side, name),
        .group.module = module_of(comparison, side, at->module, name),
        .side = side,
        .module = at->module,
        .position = has_line ? name->name.line : at->address,
        .has_line = has_line,
    };

    call.group.callee =
        has_line         ? text_pool_add(&numbers->texts, name->name.file)
        : callee == NULL ? INDEX_NONE
                         : function_of(comparison, side, callee);
    ARRAY_ADD(numbers->calls, numbers->call_count, call);
    return (uint32_t)numbers->call_count - 1;
}

/* Return the function that contains the code of a place, outside inlined calls;
   without a place the site's. */
static const struct frame_name *function_at(const struct named_profile *side,
                                            uint32_t place, uint32_t site)
{
    const struct frame_name *names;
    size_t count;

    if (place == STACK_NO_PLACE)
        return frame_names_of_site(side->frames, site);
    names = frame_names_find(side->frames, place, &count);
    return &names[count - 1];
}

/* Add inlined calls, which are the same whatever a place calls. */
static void add_inlined(struct stack_comparison *comparison, unsigned side)
{
    struct side_calls *calls = &comparison->calls[side];
    const struct named_profile *of = &comparison->sides[side];
    size_t place_count = of->profile->stacks.place_count;

    calls->first_inlined =
        memory_zeroed(place_count + 1, sizeof *calls->first_inlined);
    for (uint32_t place = 0; place < place_count; place++) {
        size_t count;
        const struct frame_name *names =
            frame_names_find(of->frames, place, &count);

        calls->first_inlined[place] = (uint32_t)calls->inlined_count;
        for (size_t i = 1; i < count; i++)
            ARRAY_ADD(
                calls->inlined, calls->inlined_count,
                add_call(comparison, side, place, &names[i], &names[i - 1]));
    }
}

/* Return the place of a call. Index space: frame callers, then stack callers,
   then the stacks' own sites. */
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

static const struct frame_name *callee_at(const struct named_profile *of,
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

/* Return the indices of calls, by place; those of a place are behind each
   other, up to its end. */
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

/* Add each call at a place once. Callees are looked up by label, a place at a
   time: a table of all calls would not fit a cache. */
static void add_places(struct stack_comparison *comparison, unsigned side,
                       size_t count, uint32_t *numbers)
{
    const struct named_profile *of = &comparison->sides[side];
    const struct stacks *stacks = &of->profile->stacks;
    uint32_t labels = frame_names_label_limit(of->frames);
    size_t *known = memory_zeroed(labels + UINT64_C(1), sizeof *known);
    uint32_t *ends = memory_zeroed(stacks->place_count + 1, sizeof *ends);
    uint32_t *order = sort_by_place(stacks, count, ends);
    size_t at = 0;

    for (uint32_t place = 0; place < stacks->place_count; place++) {
        size_t before = comparison->numbers.call_count, names;
        const struct frame_name *name =
            frame_names_find(of->frames, place, &names);

        for (; at < ends[place]; at++) {
            const struct frame_name *callee = callee_at(of, order[at]);
            size_t *number =
                &known[callee == NULL ? labels : callee->label_number];

            if (*number <= before)
                *number = add_call(comparison, side, place, name, callee) +
                          UINT64_C(1);
            numbers[order[at]] = (uint32_t)*number - 1;
        }
    }
    free(order);
    free(ends);
    free(known);
}

static void collect(struct stack_comparison *comparison, unsigned side)
{
    struct side_calls *calls = &comparison->calls[side];
    const struct named_profile *of = &comparison->sides[side];
    const struct stacks *stacks = &of->profile->stacks;
    size_t site_count = of->profile->caller_count;
    uint32_t labels = frame_names_label_limit(of->frames);

    calls->labels = memory_zeroed(labels + UINT64_C(1), sizeof *calls->labels);
    for (uint32_t i = 0; i < labels; i++)
        calls->labels[i] = (struct label_texts){ NOT_LOOKED_UP, NOT_LOOKED_UP };
    calls->sites = memory_zeroed(site_count + 1, sizeof *calls->sites);
    memset(calls->sites, 0xff, site_count * sizeof *calls->sites);
    add_inlined(comparison, side);
    calls->count = stacks->frame_count + 2 * stacks->stack_count;
    calls->frames = memory_zeroed(calls->count + 1, sizeof *calls->frames);
    calls->callers = calls->frames + stacks->frame_count;
    calls->innermost = calls->callers + stacks->stack_count;
    add_places(comparison, side, calls->count, calls->frames);
    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];

        if (stack->place == STACK_NO_PLACE)
            calls->innermost[i] =
                add_call(comparison, side, STACK_NO_PLACE,
                         frame_names_of_site(of->frames, stack->site), NULL);
    }
}

/* Replace indices of calls by their numbers. */
static void take_numbers(const struct call_numbers *numbers, uint32_t *calls,
                         size_t count)
{
    for (size_t i = 0; i < count && numbers->call_count > 0; i++)
        calls[i] = numbers->calls[calls[i]].number;
}

/* Return the child of that number. Names are those of the later side, which is
   added first. */
static uint32_t child_of(struct stack_comparison *comparison, uint32_t node,
                         uint32_t number, const struct frame_name *name)
{
    if (comparison->names[number] == NULL)
        comparison->names[number] = name;
    return call_tree_child(&comparison->tree, node, number,
                           comparison->names[number]);
}

static void add_amount(struct call_tree *tree, uint32_t node, unsigned which,
                       const struct profile_amounts *amounts,
                       enum measure measure)
{
    int64_t *own = &call_tree_end(tree, node)[which];

    *own = (int64_t)((uint64_t)*own + (uint64_t)compared_of(amounts, measure));
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

/* Go from the node of its caller to that of a place's innermost call, whose
   number is `innermost`. */
static uint32_t descend(struct stack_comparison *comparison, unsigned side,
                        uint32_t place, uint32_t innermost, uint32_t node)
{
    const struct side_calls *calls = &comparison->calls[side];
    size_t count;
    const struct frame_name *names =
        frame_names_find(comparison->sides[side].frames, place, &count);

    while (count-- > 0) {
        uint32_t number =
            count == 0
                ? innermost
                : calls->inlined[calls->first_inlined[place] + count - 1];

        node = child_of(comparison, node, number, &names[count]);
    }
    return node;
}

/* Return the node of the frame `caller`. `innermost` is its innermost call. */
static uint32_t find_caller(struct stack_comparison *comparison, unsigned side,
                            const uint32_t *above, uint32_t caller,
                            uint32_t innermost)
{
    if (caller == STACK_CUT)
        return child_of(comparison, 0, comparison->numbers.count,
                        &frame_truncated);
    if (caller == STACK_WHOLE)
        return 0;
    return descend(comparison, side,
                   comparison->sides[side].profile->stacks.frames[caller].place,
                   innermost, above[caller]);
}

static uint32_t parent_of(const struct call_tree *tree, uint32_t node,
                          uint32_t calls)
{
    while (calls-- > 0)
        node = tree->nodes[node].parent;
    return node;
}

static void add_stack(struct stack_comparison *comparison, unsigned side,
                      const uint32_t *above, size_t number)
{
    const struct side_calls *calls = &comparison->calls[side];
    const struct named_profile *of = &comparison->sides[side];
    const struct profile_stack *stack = &of->profile->stacks.stacks[number];
    uint32_t folded = frame_names_folded(of->frames, stack);
    struct call_tree *tree = &comparison->tree;
    uint32_t innermost = calls->innermost[number];
    uint32_t node = find_caller(comparison, side, above, stack->frame,
                                calls->callers[number]);

    if (stack->place != STACK_NO_PLACE)
        node = descend(comparison, side, stack->place, innermost, node);
    else
        node = child_of(comparison, node, innermost,
                        frame_names_of_site(of->frames, stack->site));
    add_amounts(comparison, node, side, &stack->amounts);
    comparison->stack_nodes[side][number] = node;
    tree->ends[tree->nodes[node].end].folded = folded;
    if (calls->sites[stack->site] == INDEX_NONE)
        calls->sites[stack->site] =
            tree->nodes[parent_of(tree, node, folded)].number;
}

/* Add frames first, each once: `above` has the node of each frame's caller. */
static void add_side(struct stack_comparison *comparison, unsigned side)
{
    const struct stacks *stacks = &comparison->sides[side].profile->stacks;
    uint32_t *above = memory_zeroed(stacks->frame_count + 1, sizeof *above);

    comparison->stack_nodes[side] =
        memory_zeroed(stacks->stack_count, sizeof *above);
    for (size_t i = 1; i < stacks->frame_count; i++)
        above[i] =
            find_caller(comparison, side, above, stacks->frames[i].parent,
                        comparison->calls[side].frames[i]);
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

bool stack_comparison_knows(const struct stack_comparison *comparison,
                            enum measure measure)
{
    return measure_is_known(comparison->sides[0].profile, measure) &&
           measure_is_known(comparison->sides[1].profile, measure);
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

/* Sort growth beside nodes: a tree would not fit a cache. */
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
    const struct call_tree *tree = &comparison->tree;

    return parent_of(tree, node, tree->ends[tree->nodes[node].end].folded);
}

void stack_comparison_open(struct stack_comparison *comparison,
                           const struct compared_value *value,
                           const struct named_profile sides[2])
{
    struct call_numbers *numbers = &comparison->numbers;

    *comparison = (struct stack_comparison){
        .value = value,
        .sides = { sides[0], sides[1] },
        .is_sampled = sides[0].profile->sample_interval > 1 ||
                      sides[1].profile->sample_interval > 1,
        .is_of_one_process =
            profile_is_later(sides[1].profile, sides[0].profile),
        .numbers = { .profiles = { sides[0].profile, sides[1].profile } },
        .tree = { .arena = arena_create(),
                  .is_exact = true, /* the page adds errors by side itself */
                  .profile =
                      sides[sides[0].profile->sample_interval <= 1].profile },
    };
    collect(comparison, 0);
    collect(comparison, 1);
    call_numbers_find(numbers);
    for (unsigned side = 0; side < 2; side++) {
        struct side_calls *calls = &comparison->calls[side];

        take_numbers(numbers, calls->frames, calls->count);
        take_numbers(numbers, calls->inlined, calls->inlined_count);
    }
    call_numbers_free(numbers);
    call_tree_make_root(&comparison->tree);
    INDEX_EXPECT(&comparison->tree.table, INDEX_KEY(struct call_node, number),
                 comparison->tree.nodes, sides[1].profile->stacks.frame_count);
    comparison->names =
        memory_zeroed(numbers->count + UINT64_C(1), sizeof *comparison->names);
    add_side(comparison, 1);
    add_side(comparison, 0);
    list_changes(comparison);
}

void stack_comparison_close(struct stack_comparison *comparison)
{
    for (unsigned side = 0; side < 2; side++) {
        free(comparison->calls[side].labels);
        free(comparison->calls[side].first_inlined);
        free(comparison->calls[side].inlined);
        free(comparison->calls[side].frames);
        free(comparison->calls[side].sites);
        free(comparison->stack_nodes[side]);
    }
    arena_destroy(comparison->tree.arena);
    free(comparison->changed);
    free(comparison->names);
    *comparison = (struct stack_comparison){ 0 };
}
