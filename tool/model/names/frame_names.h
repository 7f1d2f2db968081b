/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_names.h - what people call the frames of a profile's stacks
 *
 * Each place is looked up once, at the beginning, and may be several calls:
 * those that the compiler inlined come before the function that they are
 * in. A call always has a label; equal ones have one address, so that pointers
 * may be compared.
 *
 *     struct frame_names *names = frame_names_create(profile, site_names);
 *     struct stack_walk walk;
 *     const struct frame_name *name;
 *
 *     stack_walk_begin(&walk, names, &profile->stacks.stacks[i]);
 *     while ((name = stack_walk_next(&walk)) != NULL) // innermost first
 *         show(name->label);
 *     if (walk.is_cut)
 *         show("and more");
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/fold.h"
#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"

struct frame_name {
    const char *label; /* the function, MODULE+0xADDRESS or 0xADDRESS */
    struct site_name name;
    uint32_t label_number; /* equal labels in equal modules have one */
    uint32_t call_number;  /* likewise, also in the same line */
    bool returns_memory;   /* as struct symbol says */
    bool is_pair;          /* a label, "[KEY=VALUE]" */
    enum fold fold;        /* what blame.h made of it */
};

/* Its name, whose function is the label where it has none. */
static inline struct site_name frame_name_called(const struct frame_name *call)
{
    struct site_name name = call->name;

    name.function = call->label;
    return name;
}

/* "[truncated]": what comes further out is not known. */
extern const struct frame_name frame_truncated;

/* "[anonymous map]": the innermost frame of what is no block of the heap, by
   enum ledger_site_kind. */
extern const struct frame_name frame_kinds[LEDGER_SITE_KINDS];

struct frame_names;

/* A finished profile, and what its sites and frames are called. */
struct named_profile {
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames; /* NULL: it knows no stacks */
};

/* Look up all that stacks need in the symbols of `site_names`. They live as long
   as the profile. */
struct frame_names *frame_names_create(const struct profile *profile,
                                       struct site_names *site_names);

/* The calls at a place, innermost first. */
const struct frame_name *frame_names_find(const struct frame_names *names,
                                          uint32_t place, size_t *count);

void frame_names_set_fold(struct frame_names *names, uint32_t place,
                          size_t call, enum fold fold);

/* The one name of a site that has a label. */
const struct frame_name *frame_names_of_site(const struct frame_names *names,
                                             uint32_t site);

/* The innermost calls of a stack: those at its place, or of its site. */
const struct frame_name *frame_names_of_stack(const struct frame_names *names,
                                              const struct profile_stack *stack,
                                              size_t *count);

/* One more than the highest label_number, and call_number. */
uint32_t frame_names_label_limit(const struct frame_names *names);
uint32_t frame_names_call_limit(const struct frame_names *names);

/* The profile has other sites now, and its stacks their numbers. */
void frame_names_rename_sites(struct frame_names *names);

#define FRAME_ANY_MODULE (UINT32_MAX - 1)

/* Places of a module (or PROFILE_NO_MODULE) that have no function; of names
   that are NULL none. */
size_t frame_names_unresolved(const struct frame_names *names, uint32_t module);

/* From here on walks leave out so many innermost calls of that stack. */
void frame_names_fold(struct frame_names *names, size_t stack, uint32_t calls);
uint32_t frame_names_folded(const struct frame_names *names,
                            const struct profile_stack *stack);

struct stack_walk {
    bool is_cut;                     /* after the last: there was more */
    const struct frame_names *names; /* private from here on */
    const struct frame_name *at;
    size_t left;
    uint32_t frame;
};

void stack_walk_begin(struct stack_walk *walk, const struct frame_names *names,
                      const struct profile_stack *stack);

/* With the calls that are left out. */
void stack_walk_begin_whole(struct stack_walk *walk,
                            const struct frame_names *names,
                            const struct profile_stack *stack);

/* The next call, outwards; NULL behind the last. */
const struct frame_name *stack_walk_next(struct stack_walk *walk);
