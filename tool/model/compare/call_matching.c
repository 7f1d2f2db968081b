/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_matching.c - which calls of two profiles are the same in the source
 *
 * Each call is met once: those of sites with what they call unknown, those of
 * frames with the function of each frame that they are the parent of, and those
 * that were inlined with the function inside. Calls of one function to another
 * are a group. Calls are sorted by group, side and address, and numbered in
 * that order.
 *
 * This file is long because calls are collected and numbered here.
 */
#include "tool/model/compare/call_matching.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The texts of a call, by number; UINT32_MAX for none. */
struct call_group {
    uint32_t function;
    uint32_t module;
    uint32_t callee;
};

struct known_call {
    uint32_t side;
    uint32_t place; /* or, of a site with a label, its number and... */
    uint32_t is_site;
    uint32_t element;
    uint32_t group;
    uint32_t id;
    uint32_t module;  /* of the profile, or PROFILE_NO_MODULE */
    uint64_t address; /* or line, where there is none */
};

/* Texts of a name, by its label number; NOT_LOOKED_UP until it is met. */
struct label_texts {
    uint32_t function;
    uint32_t module;
};

enum { NOT_LOOKED_UP = UINT32_MAX - 1 };

void call_matching_close(struct call_matching *matching)
{
    text_pool_free(&matching->texts);
    index_table_free(&matching->call_table);
    index_table_free(&matching->group_table);
    free(matching->calls);
    free(matching->groups);
    free(matching->labels[0]);
    free(matching->labels[1]);
    *matching = (struct call_matching){ 0 };
}

static bool is_group(const void *array, uint32_t index, const void *key)
{
    const struct call_group *a = array;

    return memcmp(&a[index], key, sizeof a[index]) == 0;
}

static bool is_call(const void *array, uint32_t index, const void *key)
{
    const struct known_call *a = array, *b = key;

    return a[index].side == b->side && a[index].place == b->place &&
           a[index].is_site == b->is_site && a[index].element == b->element &&
           a[index].group == b->group;
}

static uint32_t hash_call(const struct known_call *call)
{
    return index_hash((uint64_t)call->place << 8 | call->is_site << 7 |
                          call->side << 6 | call->element,
                      call->group);
}

static int text_of(struct call_matching *matching, const char *text,
                   uint32_t *number)
{
    *number = text == NULL ? UINT32_MAX : text_pool_add(&matching->texts, text);
    return 0;
}

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

static int function_of(struct call_matching *matching, unsigned side,
                       const struct frame_name *name, uint32_t *number)
{
    uint32_t *known = &matching->labels[side][name->label_number].function;

    if (*known == NOT_LOOKED_UP && text_of(matching, name->label, known) < 0)
        return -1;
    *number = *known;
    return 0;
}

static int number_group(struct call_matching *matching, unsigned side,
                        const struct matched_call *call, uint32_t *number)
{
    uint32_t *module = &matching->labels[side][call->name->label_number].module;
    struct call_group group = { .callee = UINT32_MAX }, *groups;

    if (function_of(matching, side, call->name, &group.function) < 0 ||
        (call->callee != NULL &&
         function_of(matching, side, call->callee, &group.callee) < 0) ||
        (*module == NOT_LOOKED_UP &&
         text_of(matching, module_of(&matching->sides[side], call), module) <
             0))
        return -1;
    group.module = *module;
    groups = index_table_add(
        &matching->group_table,
        index_hash((uint64_t)group.function << 32 | group.callee, group.module),
        is_group, matching->groups, &matching->group_count, sizeof group,
        &group, number);
    if (groups == NULL)
        return -1;
    matching->groups = groups;
    return 0;
}

static struct known_call key_of(const struct call_matching *matching,
                                unsigned side, const struct matched_call *call)
{
    const struct stacks *stacks = &matching->sides[side].profile->stacks;
    bool is_site = call->place == STACK_NO_PLACE;

    return (struct known_call){
        .side = side,
        .place = is_site ? call->site : call->place,
        .is_site = is_site,
        .element = call->element,
        .module =
            is_site ? PROFILE_NO_MODULE : stacks->places[call->place].module,
        .address = is_site ? call->name->name.line
                           : stacks->places[call->place].address,
    };
}

static int add_call(struct call_matching *matching, unsigned side,
                    const struct matched_call *call)
{
    struct known_call known = key_of(matching, side, call), *calls;
    uint32_t number;

    if (number_group(matching, side, call, &known.group) < 0)
        return -1;
    calls = index_table_add(&matching->call_table, hash_call(&known), is_call,
                            matching->calls, &matching->call_count,
                            sizeof known, &known, &number);
    if (calls == NULL)
        return -1;
    matching->calls = calls;
    return 0;
}

const struct frame_name *call_matching_function(const struct matched_side *side,
                                                uint32_t place, uint32_t site)
{
    size_t count = 0;
    const struct frame_name *names;

    if (place == STACK_NO_PLACE)
        return frame_names_of_site(side->names, site);
    names = frame_names_find(side->names, place, &count);
    return names == NULL ? NULL : &names[count - 1];
}

/* All calls at a place, the innermost of which calls `callee`. */
static int add_place(struct call_matching *matching, unsigned side,
                     uint32_t place, const struct frame_name *callee)
{
    size_t count;
    const struct frame_name *names =
        frame_names_find(matching->sides[side].names, place, &count);

    for (size_t i = 0; names != NULL && i < count; i++) {
        const struct matched_call call = { place, 0, (uint32_t)i, &names[i],
                                           callee };

        if (add_call(matching, side, &call) < 0)
            return -1;
        callee = &names[i];
    }
    return names == NULL ? -1 : 0;
}

static int add_stack(struct call_matching *matching, unsigned side,
                     const struct profile_stack *stack)
{
    const struct matched_side *of = &matching->sides[side];
    const struct matched_call call = {
        .place = STACK_NO_PLACE,
        .site = stack->site,
        .name = call_matching_function(of, stack->place, stack->site),
    };
    int error;

    if (call.name == NULL)
        return -1;
    error = stack->place == STACK_NO_PLACE
                ? add_call(matching, side, &call)
                : add_place(matching, side, stack->place, NULL);
    if (error == 0 && stacks_is_frame(stack->frame))
        error = add_place(matching, side,
                          of->profile->stacks.frames[stack->frame].place,
                          call.name);
    return error;
}

static int collect(struct call_matching *matching, unsigned side)
{
    const struct matched_side *of = &matching->sides[side];
    const struct stacks *stacks = &of->profile->stacks;

    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];
        const struct frame_name *callee =
            call_matching_function(of, frame->place, 0);

        if (callee == NULL ||
            (stacks_is_frame(frame->parent) &&
             add_place(matching, side, stacks->frames[frame->parent].place,
                       callee) < 0))
            return -1;
    }
    for (size_t i = 0; i < stacks->stack_count; i++) {
        if (add_stack(matching, side, &stacks->stacks[i]) < 0)
            return -1;
    }
    return 0;
}

static int make_labels(struct call_matching *matching, unsigned side)
{
    const struct matched_side *of = &matching->sides[side];
    uint32_t count;

    if (frame_names_find_all(of->names) < 0)
        return -1;
    count = frame_names_label_limit(of->names);
    matching->labels[side] =
        calloc(count + UINT64_C(1), sizeof *matching->labels[side]);
    if (matching->labels[side] == NULL)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        matching->labels[side][i] =
            (struct label_texts){ NOT_LOOKED_UP, NOT_LOOKED_UP };
    return 0;
}

static int compare_calls(const void *left, const void *right)
{
    const struct known_call *a = *(struct known_call *const *)left;
    const struct known_call *b = *(struct known_call *const *)right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
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

/* Number all calls that were collected. 0, or -1 without memory. */
static int give_ordinals(struct call_matching *matching)
{
    size_t count = matching->call_count;
    struct known_call **order = calloc(count + 1, sizeof(*order));

    if (order == NULL)
        return -1;
    for (size_t i = 0; i < count; i++)
        order[i] = &matching->calls[i];
    qsort(order, count, sizeof(*order), compare_calls);
    for (size_t start = 0, end; start < count; start = end) {
        for (end = start;
             end < count && order[end]->group == order[start]->group; end++)
            ;
        number_calls(matching, order + start, end - start);
    }
    free(order);
    return 0;
}

int call_matching_open(struct call_matching *matching,
                       const struct matched_side sides[2])
{
    *matching = (struct call_matching){ .sides = { sides[0], sides[1] } };
    if (make_labels(matching, 0) < 0 || make_labels(matching, 1) < 0 ||
        collect(matching, 0) < 0 || collect(matching, 1) < 0)
        return -1;
    return give_ordinals(matching);
}

uint32_t call_matching_find(const struct call_matching *matching, unsigned side,
                            const struct matched_call *call)
{
    struct call_matching *writable = (void *)(uintptr_t)matching;
    struct known_call known = key_of(matching, side, call);
    const struct index_slot *slot;

    /* Nothing is added: all texts and groups are there. */
    if (number_group(writable, side, call, &known.group) < 0)
        return 0;
    slot = index_table_find(&matching->call_table, hash_call(&known), is_call,
                            matching->calls, &known);
    return slot->is_used ? matching->calls[slot->index].id : 0;
}

struct matched_call call_matching_innermost(const struct matched_side *side,
                                            const struct profile_stack *stack)
{
    size_t count;

    return (struct matched_call){
        .place = stack->place,
        .site = stack->place == STACK_NO_PLACE ? stack->site : 0,
        .name = frame_names_of_stack(side->names, stack, &count),
    };
}
