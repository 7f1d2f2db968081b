/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.h - the stacks of a profile, each once
 *
 * A stack is the place of a site, then its callers' frames up to the root.
 * Frames form a tree that has each frame once; places are kept once, too, so
 * that a place in 10,000 stacks is named once.
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

#include "format/ledger/segments_layout.h"
#include "tool/model/profile/amounts.h"
#include "tool/tables/tables.h"

enum { STACK_WHOLE = 0 };         /* instead of a frame: no caller */
#define STACK_CUT      UINT32_MAX /* ... caller unknown: the stack is cut */
#define STACK_NO_PLACE UINT32_MAX /* the site has a label instead */

/* Address of the innermost place, in no module, in stacks of other memory than
   the heap. */
#define STACK_OF(kind) (UINT64_MAX - ((kind)-LEDGER_SITE_MAP))

/* Return address in the module's file. */
struct profile_place {
    uint64_t address;
    uint32_t module; /* index in the profile, or PROFILE_NO_MODULE */
};

struct profile_frame {
    uint32_t place;
    uint32_t parent; /* lower number, STACK_WHOLE or STACK_CUT */
};

struct profile_stack {
    uint32_t site;  /* index in the profile's callers */
    uint32_t frame; /* caller, STACK_WHOLE or STACK_CUT */
    uint32_t place; /* of the site, or STACK_NO_PLACE */
    struct profile_amounts amounts;
    struct lifetimes *lifetimes; /* of its samples; NULL: none */
};

struct stacks {
    struct profile_place *places;
    size_t place_count;
    struct profile_frame *frames; /* number 0 is unused, and counted */
    size_t frame_count;
    struct profile_stack *stacks;
    size_t stack_count;
    size_t kind_count;              /* places that are STACK_OF() something */
    struct index_table place_table; /* private, as are these */
    struct index_table frame_table;
    struct index_table stack_table;
};

/* Return the kind that a place stands for; 0 if it is code. */
static inline uint64_t stacks_kind(const struct stacks *stacks, uint32_t place)
{
    uint64_t number = UINT64_MAX - stacks->places[place].address;

    return number < LEDGER_SITE_KINDS - LEDGER_SITE_MAP
               ? number + LEDGER_SITE_MAP
               : 0;
}

/* Return the number of places in code. */
static inline size_t stacks_code_places(const struct stacks *stacks)
{
    return stacks->place_count - stacks->kind_count;
}

static inline bool stacks_is_frame(uint32_t frame)
{
    return frame != STACK_WHOLE && frame != STACK_CUT;
}

/* Free the indices, after the last stack was added. */
void stacks_finish(struct stacks *stacks);

/* Return the number of a place, or of a frame, new or known. */
uint32_t stacks_add_place(struct stacks *stacks,
                          const struct profile_place *place);
uint32_t stacks_add_frame(struct stacks *stacks,
                          const struct profile_frame *frame);

/* Add amounts and lifetimes to the stack of this site and frame; return its
   number. */
uint32_t stacks_add(struct stacks *stacks, const struct profile_stack *stack);

/* Return true if its outermost frames are unknown; set *place, which may be
   NULL, to the outermost known place. */
bool stacks_is_cut(const struct stacks *stacks,
                   const struct profile_stack *stack, uint32_t *place);
