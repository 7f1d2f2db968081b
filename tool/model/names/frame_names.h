/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame_names.h - names of the frames of a profile's stacks
 *
 * Each place is looked up once. It is several calls if the compiler inlined
 * some: they come before the function that contains them. A call always has a
 * label; equal labels have one address.
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
    uint32_t label_number; /* one per label and module */
    uint32_t call_number;  /* one per label, module, file and line */
    bool returns_memory;   /* see struct symbol */
    bool is_pair;          /* a pair of a program's label, "[KEY=VALUE]" */
    enum fold fold;        /* set by blame.h */
};

/* Return the name with a function, which is the label if it is unknown. */
static inline struct site_name frame_name_called(const struct frame_name *call)
{
    struct site_name name = call->name;

    name.function = call->label;
    return name;
}

/* "[truncated]": outer calls are not known. */
extern const struct frame_name frame_truncated;

/* "[anonymous map]" and so on: innermost frames of memory other than the heap,
   by enum ledger_site_kind. */
extern const struct frame_name frame_kinds[LEDGER_SITE_KINDS];

struct frame_names;

/* A finished profile and the names of its sites and frames. */
struct named_profile {
    struct profile *profile;
    struct site_names *names;
    struct frame_names *frames; /* NULL: it knows no stacks */
};

/* Look up all places in the symbols of `site_names`. Names live as long as the
   profile. */
struct frame_names *frame_names_create(const struct profile *profile,
                                       struct site_names *site_names);

/* Return the calls at a place, innermost first. */
const struct frame_name *frame_names_find(const struct frame_names *names,
                                          uint32_t place, size_t *count);

void frame_names_set_fold(struct frame_names *names, uint32_t place,
                          size_t call, enum fold fold);

/* Return the only call of a site that has a label. */
const struct frame_name *frame_names_of_site(const struct frame_names *names,
                                             uint32_t site);

/* Return the innermost calls of a stack: at its place, or of its site. */
const struct frame_name *frame_names_of_stack(const struct frame_names *names,
                                              const struct profile_stack *stack,
                                              size_t *count);

/* Return one more than the highest label_number, or call_number. */
uint32_t frame_names_label_limit(const struct frame_names *names);
uint32_t frame_names_call_limit(const struct frame_names *names);

/* Name sites again after the profile's sites were replaced. */
void frame_names_rename_sites(struct frame_names *names);

#define FRAME_ANY_MODULE (UINT32_MAX - 1)

/* Return the number of places without a function in a module, which may be
   PROFILE_NO_MODULE; 0 if `names` is NULL. */
size_t frame_names_unresolved(const struct frame_names *names, uint32_t module);

/* Have walks leave out that many innermost calls of the stack. */
void frame_names_fold(struct frame_names *names, size_t stack, uint32_t calls);
uint32_t frame_names_folded(const struct frame_names *names,
                            const struct profile_stack *stack);

struct stack_walk {
    bool is_cut;                     /* after the last call: truncated */
    const struct frame_names *names; /* private from here on */
    const struct frame_name *at;
    size_t left;
    uint32_t frame;
};

void stack_walk_begin(struct stack_walk *walk, const struct frame_names *names,
                      const struct profile_stack *stack);

/* Begin with the calls that are left out otherwise. */
void stack_walk_begin_whole(struct stack_walk *walk,
                            const struct frame_names *names,
                            const struct profile_stack *stack);

/* Return the next outer call; NULL after the last. */
const struct frame_name *stack_walk_next(struct stack_walk *walk);
