/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - see stacks.h */
#include "tool/model/profile/stacks.h"

#include <stdlib.h>

void stacks_finish(struct stacks *stacks)
{
    index_table_free(&stacks->place_table);
    index_table_free(&stacks->frame_table);
    index_table_free(&stacks->stack_table);
}

void stacks_free(struct stacks *stacks)
{
    for (size_t i = 0; i < stacks->stack_count; i++)
        free(stacks->stacks[i].lifetimes);
    free(stacks->places);
    free(stacks->frames);
    free(stacks->stacks);
    stacks_finish(stacks);
    *stacks = (struct stacks){ 0 };
}

static bool is_place(const void *array, uint32_t index, const void *key)
{
    const struct profile_place *a = array, *b = key;

    return a[index].address == b->address && a[index].module == b->module;
}

int stacks_add_place(struct stacks *stacks, const struct profile_place *place,
                     uint32_t *number)
{
    struct profile_place *places = index_table_add(
        &stacks->place_table, index_hash(place->address, place->module),
        is_place, stacks->places, &stacks->place_count, sizeof *places, place,
        number);

    if (places == NULL)
        return -1;
    stacks->places = places;
    return 0;
}

static bool is_frame(const void *array, uint32_t index, const void *key)
{
    const struct profile_frame *a = array, *b = key;

    return a[index].place == b->place && a[index].parent == b->parent;
}

int stacks_add_frame(struct stacks *stacks, const struct profile_frame *frame,
                     uint32_t *number)
{
    struct profile_frame *frames = stacks->frames;

    if (frames == NULL) {
        stacks->frames = frames = calloc(1, sizeof *frames);
        if (frames == NULL)
            return -1;
        stacks->frame_count = 1;
    }
    frames = index_table_add(
        &stacks->frame_table, index_hash(frame->place, frame->parent), is_frame,
        frames, &stacks->frame_count, sizeof *frames, frame, number);
    if (frames == NULL)
        return -1;
    stacks->frames = frames;
    return 0;
}

static bool is_stack(const void *array, uint32_t index, const void *key)
{
    const struct profile_stack *a = array, *b = key;

    return a[index].site == b->site && a[index].frame == b->frame;
}

int stacks_add(struct stacks *stacks, const struct profile_stack *stack)
{
    struct profile_stack added = *stack, *known;
    size_t count = stacks->stack_count;
    uint32_t number;

    added.lifetimes = NULL;
    known = index_table_add(
        &stacks->stack_table, index_hash(stack->site, stack->frame), is_stack,
        stacks->stacks, &stacks->stack_count, sizeof *known, &added, &number);
    if (known == NULL)
        return -1;
    stacks->stacks = known;
    if (number != count)
        amounts_add(&known[number].amounts, &stack->amounts);
    return lifetimes_merge(&known[number].lifetimes, stack->lifetimes);
}

bool stacks_is_cut(const struct stacks *stacks,
                   const struct profile_stack *stack, uint32_t *place)
{
    uint32_t frame = stack->frame, last = stack->place;

    for (; stacks_is_frame(frame); frame = stacks->frames[frame].parent)
        last = stacks->frames[frame].place;
    if (place != NULL)
        *place = last;
    return frame == STACK_CUT;
}
