/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - who called whom: the stacks of a profile, each once
 *
 * A stack is the place of a site, then the frames from which its function was
 * called, up to the root. Frames are a tree in which each is found once, and so
 * is each place: what is called from 10,000 stacks is named once.
 *
 *     const struct profile_stack *stack = &stacks->stacks[i];
 *
 *     show(stack->place);
 *     for (uint32_t f = stack->frame; stacks_is_frame(f);
 *          f = stacks->frames[f].parent)
 *         show(stacks->frames[f].place);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/sites_layout.h"
#include "tool/model/profile/amounts.h"
#include "tool/tables/index_table.h"

enum { STACK_WHOLE = 0 };         /* in place of a frame: no caller */
#define STACK_CUT      UINT32_MAX /* ... it could not be followed further */
#define STACK_NO_PLACE UINT32_MAX /* of a site that has a label instead */

/* Address, in no module, of the place that is innermost in stacks of what is no
   block of the heap. */
#define STACK_OF(kind) (UINT64_MAX - ((kind)-LEDGER_SITE_MAP))

/* A return address, as in the module's file. */
struct profile_place {
    uint64_t address;
    uint32_t module; /* of the profile, or PROFILE_NO_MODULE */
};

struct profile_frame {
    uint32_t place;
    uint32_t parent; /* a lower number, STACK_WHOLE or STACK_CUT */
};

struct profile_stack {
    uint32_t site;  /* of the profile */
    uint32_t frame; /* its caller, STACK_WHOLE or STACK_CUT */
    uint32_t place; /* of that site, or STACK_NO_PLACE */
    struct profile_amounts amounts;
    struct lifetimes *lifetimes; /* NULL: nothing was sampled */
};

struct stacks {
    struct profile_place *places;
    size_t place_count;
    struct profile_frame *frames; /* number 0 is none */
    size_t frame_count;           /* with it */
    struct profile_stack *stacks;
    size_t stack_count;
    size_t kind_count;              /* places that are STACK_OF() something */
    struct index_table place_table; /* private, as are these */
    struct index_table frame_table;
    struct index_table stack_table;
};

/* The kind that a place stands for; 0: it is code. */
static inline uint64_t stacks_kind(const struct stacks *stacks, uint32_t place)
{
    uint64_t number = UINT64_MAX - stacks->places[place].address;

    return number < LEDGER_SITE_KINDS - LEDGER_SITE_MAP
               ? number + LEDGER_SITE_MAP
               : 0;
}

/* Places that are code. */
static inline size_t stacks_code_places(const struct stacks *stacks)
{
    return stacks->place_count - stacks->kind_count;
}

static inline bool stacks_is_frame(uint32_t frame)
{
    return frame != STACK_WHOLE && frame != STACK_CUT;
}

/* Nothing is added from here on. */
void stacks_finish(struct stacks *stacks);

/* The number of a place, or of a frame with that parent; new or known. */
uint32_t stacks_add_place(struct stacks *stacks,
                          const struct profile_place *place);
uint32_t stacks_add_frame(struct stacks *stacks,
                          const struct profile_frame *frame);

/* Add amounts and lifetimes, which are copied, to the stack of that site and
   frame, whose number it returns. */
uint32_t stacks_add(struct stacks *stacks, const struct profile_stack *stack);

/* Whether it could not be followed to its end; and the last that is known of
   it, unless `place` is NULL. */
bool stacks_is_cut(const struct stacks *stacks,
                   const struct profile_stack *stack, uint32_t *place);
