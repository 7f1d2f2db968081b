/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - see profile_parts.h */
#include "tool/model/profile/profile_parts.h"

void stacks_finish(struct stacks *stacks)
{
    index_table_free(&stacks->place_table);
    index_table_free(&stacks->frame_table);
    index_table_free(&stacks->stack_table);
}

uint32_t stacks_add_place(struct stacks *stacks,
                          const struct profile_place *place)
{
    return INDEX_ADD(&stacks->place_table,
                     INDEX_KEY(struct profile_place, module), stacks->places,
                     stacks->place_count, place);
}

uint32_t stacks_add_frame(struct stacks *stacks,
                          const struct profile_frame *frame)
{
    if (stacks->frames == NULL) {
        stacks->frames =
            arena_zeroed(stacks->frame_table.arena, 1, sizeof *stacks->frames);
        stacks->frame_count = 1;
    }
    return INDEX_ADD(&stacks->frame_table,
                     INDEX_KEY(struct profile_frame, parent), stacks->frames,
                     stacks->frame_count, frame);
}

/* Number 0 is left unused. */
static void add_lifetimes(struct stacks *stacks, struct profile_stack *stack,
                          struct lifetimes *lifetimes)
{
    struct arena *arena = stacks->stack_table.arena;

    while (stack->lifetimes == 0) {
        stack->lifetimes = (uint32_t)stacks->lifetime_count;
        ARENA_ADD(arena, stacks->lifetimes, stacks->lifetime_count, NULL);
    }
    lifetimes_merge(arena, &stacks->lifetimes[stack->lifetimes], lifetimes);
}

uint32_t stacks_add(struct stacks *stacks, const struct profile_stack *stack,
                    struct lifetimes *lifetimes)
{
    size_t count = stacks->stack_count;
    uint32_t number =
        INDEX_ADD(&stacks->stack_table, INDEX_KEY(struct profile_stack, frame),
                  stacks->stacks, stacks->stack_count, stack);

    if (number != count)
        amounts_add(&stacks->stacks[number].amounts, &stack->amounts);
    if (lifetimes != NULL)
        add_lifetimes(stacks, &stacks->stacks[number], lifetimes);
    return number;
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
