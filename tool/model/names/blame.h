/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blame.h - the caller to blame for an allocation
 *
 * A recorded site is the call of an allocator. With stacks, a site becomes the
 * innermost call that no rule folds (fold.h) and that is no wrapper
 * (wrappers.h), by function, file and line. A stack of folded calls only keeps
 * its innermost call. A stack passes the filter and the focus if any of its
 * calls does.
 *
 *     struct text_pool wrappers = { 0 };
 *     struct blame blame = { &rules, &filter, &focus, &wrappers };
 *     struct frame_names *frames = blame_name(&rules, profile, names,
 *                                             &wrappers);
 *
 *     blame_find(&blame, profile, names, frames);
 *     show(names->sites[i].function); // of profile->callers[i]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/names/names.h"
#include "tool/model/names/wrappers.h"

struct blame {
    const struct fold_rules *rules;
    const struct allocinfo_filter *filter; /* names only: numbers are ignored */
    const struct glob_list *focus;         /* globs of calls; empty: all */
    const struct text_pool *wrappers;      /* labels of wrappers to fold */
};

/*
 * Name all frames of a finished profile and mark those that rules fold; NULL
 * without stacks. Add its wrappers to `wrappers`: a comparison passes one pool
 * for both sides, so that both fold alike.
 */
struct frame_names *blame_name(const struct fold_rules *rules,
                               const struct profile *profile,
                               struct site_names *names,
                               struct text_pool *wrappers);

/* Name frames, then sum all sites by caller. */
struct frame_names *blame_all(const struct fold_rules *rules,
                              struct profile *profile,
                              struct site_names *names);

/* Return true if the filter and the focus want the name. */
bool blame_wants(const struct blame *blame, const struct site_name *name,
                 bool is_executable);

/* Sum a profile and its names by the callers to blame. Mark sites that the
   filter or the focus leaves out. */
void blame_find(const struct blame *blame, struct profile *profile,
                struct site_names *names, struct frame_names *frames);
