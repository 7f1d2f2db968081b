/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - whose allocation it is: the innermost call that is not folded
 *
 * Rows of a profile are places that call an allocator. Where stacks are known
 * they become the innermost calls that no rule folds (fold.h) and that are no
 * wrapper (wrappers.h), by function, file and line; a stack of folded calls
 * alone keeps its innermost one. What is wanted is decided by stack, too: any
 * of its calls may have the name that is asked for.
 *
 *     struct text_pool wrappers = { 0 };
 *     struct blame blame = { &rules, &filter, &focus, &wrappers };
 *     struct frame_names *frames = blame_name(&rules, profile, names,
 *                                             &wrappers);
 *
 *     blame_find(&blame, profile, names, frames);
 *     show(names->sites[i].function); // of profile->sites[i]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_filter.h"
#include "tool/model/names/fold.h"
#include "tool/model/names/frame_names.h"
#include "tool/model/names/wrappers.h"

struct blame {
    const struct fold_rules *rules;
    const struct allocinfo_filter *filter; /* of names; its numbers do not
                                              count here */
    const struct glob_list *focus;    /* some call is like one; empty: all */
    const struct text_pool *wrappers; /* labels that are folded, too */
};

/*
 * The names of all frames of a finished profile, which must outlive them, as
 * must `names`; NULL without stacks. They know which rules fold them, and the
 * wrappers among them are added: two profiles that are compared fold alike.
 */
struct frame_names *blame_name(const struct fold_rules *rules,
                               const struct profile *profile,
                               struct site_names *names,
                               struct text_pool *wrappers);

/* Both, of all stacks. */
struct frame_names *blame_all(const struct fold_rules *rules,
                              struct profile *profile,
                              struct site_names *names);

/* Return true if the filter and the focus want the name. */
bool blame_wants(const struct blame *blame, const struct site_name *name,
                 bool is_executable);

/* Sum a profile and its names by the calls that are to blame; leave out the
   rows, or stacks, that are not wanted. */
void blame_find(const struct blame *blame, struct profile *profile,
                struct site_names *names, struct frame_names *frames);
