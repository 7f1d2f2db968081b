/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - whose allocation it is: the innermost call that is not folded
 *
 * Rows of a profile are places that call an allocator. Where stacks are known
 * they become the innermost calls that no rule folds (fold.h), by function,
 * file and line; a stack of folded calls alone keeps its innermost one. What is
 * wanted is decided by stack, too: any of its calls may have the name that is
 * asked for.
 *
 *     struct blame blame = { .rules = &rules, .filter = &filter };
 *     struct frame_names *frames = blame_find(&blame, profile, names);
 *
 *     show(names->sites[i].function); // of profile->sites[i]
 *     frame_names_destroy(frames);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_filter.h"
#include "tool/model/names/fold.h"
#include "tool/model/names/frame_names.h"

struct blame {
    const struct fold_rules *rules;
    const struct allocinfo_filter *filter; /* of names; its numbers do not
                                              count here */
    const struct glob_list *focus; /* some call is like one; empty: all */
};

/*
 * Sum a finished profile and its names by the calls that are to blame; leave
 * out the rows, or stacks, that are not wanted. The names of all frames, which
 * the profile and `names` must outlive, or NULL without stacks.
 */
struct frame_names *blame_find(struct blame *blame, struct profile *profile,
                               struct site_names *names);
