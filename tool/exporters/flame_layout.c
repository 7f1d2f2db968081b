/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_layout.c - where each frame lies in a flame graph
 *
 * Stacks are sorted, so a frame is new exactly if it or one below it differs
 * from the stack before. Then frames are sorted by parent and weight, and each
 * begins where its elder sibling ends.
 */
#include "tool/exporters/flame_layout.h"

#include <stdlib.h>
#include <string.h>

static size_t add_frame(struct flame_layout *layout, const char *name,
                        size_t parent, unsigned level)
{
    layout->frames[layout->count] = (struct flame_frame){
        .name = name,
        .parent = parent,
        .level = level,
    };
    if (level >= layout->levels)
        layout->levels = level + 1;
    return layout->count++;
}

static void add_stacks(struct flame_layout *layout,
                       const struct stack_list *list)
{
    size_t open[STACK_DEPTH_LIMIT + 1] = { 0 }; /* frames of the last stack */
    const struct stack *last = NULL;

    for (size_t i = 0; i < list->count; i++) {
        const struct stack *stack = &list->stacks[i];
        unsigned shared = 0;

        while (last != NULL && shared < stack->depth && shared < last->depth &&
               strcmp(stack->frames[shared], last->frames[shared]) == 0)
            shared++;
        for (unsigned j = shared; j < stack->depth; j++)
            open[j + 1] = add_frame(layout, stack->frames[j], open[j], j + 1);
        for (unsigned j = 0; j <= stack->depth; j++)
            layout->frames[open[j]].weight += (uint64_t)stack->weight;
        last = stack;
    }
}

/* Parents have been placed when their children are: levels go upward. */
static int compare_frames(const void *left, const void *right)
{
    const struct flame_frame *a = *(const struct flame_frame *const *)left;
    const struct flame_frame *b = *(const struct flame_frame *const *)right;

    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int place_frames(struct flame_layout *layout)
{
    struct flame_frame **order = calloc(layout->count, sizeof(*order));
    uint64_t next = 0;

    if (order == NULL)
        return -1;
    for (size_t i = 0; i < layout->count; i++)
        order[i] = &layout->frames[i];
    qsort(order, layout->count, sizeof(*order), compare_frames);
    for (size_t i = 1; i < layout->count; i++) {
        struct flame_frame *frame = order[i];

        if (i == 1 || frame->parent != order[i - 1]->parent)
            next = layout->frames[frame->parent].start;
        frame->start = next;
        next += frame->weight;
    }
    free(order);
    return 0;
}

int flame_layout_open(struct flame_layout *layout,
                      const struct stack_list *list)
{
    *layout = (struct flame_layout){
        .frames =
            calloc(list->count * STACK_DEPTH_LIMIT + 1, sizeof *layout->frames),
    };
    if (layout->frames == NULL)
        return -1;
    add_frame(layout, "all", 0, 0);
    add_stacks(layout, list);
    return place_frames(layout);
}

void flame_layout_close(struct flame_layout *layout)
{
    free(layout->frames);
    *layout = (struct flame_layout){ 0 };
}
