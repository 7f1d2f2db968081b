/* SPDX-License-Identifier: Apache-2.0 */
/* site_choice.h - sites that a user asks for, and their sums */
#pragma once

#include "tool/model/names/blamed_calls.h"

/*
 * Sums of sites by place, module, folder or label
 *
 *     site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_MODULE });
 */

/*
 * An inlined function has a site in each caller, and a kernel has a row for
 * each. Sites are of one place if their kind, file, line, function and module
 * are the same.
 *
 * The sum of a module or folder has the function "*" and no line. A module's
 * file is the module, "built-in" or "unknown". A folder's file is the folder,
 * which ends with "/", and its module is "*".
 */
enum site_sum_by {
    SITE_SUM_NONE, /* sites stay as they are */
    SITE_SUM_PLACE,
    SITE_SUM_MODULE,
    SITE_SUM_FOLDER,
    SITE_SUM_LABEL, /* the function is the label: its pairs, sorted */
};

struct site_sum {
    enum site_sum_by by;
    uint64_t depth; /* leading folders to keep; 0: all of an absolute path,
                       two of a relative one */
};

/*
 * Sum the sites of a finished profile and their names. The first site of a sum
 * keeps its position. Sites that are left out are summed separately. Sums of
 * modules, folders and labels have no stacks.
 */
void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how);

/*
 * The sites of a profile that a user asks for, under their names
 *
 *     struct text_pool wrappers = { 0 };
 *     struct frame_names *frames;
 *     struct site_names *names = sites_name(&choice, DEMANGLE_WITH_ARGUMENTS,
 *                                           profile, &frames, &wrappers);
 *
 *     if (!profile->callers[i].is_left_out &&
 *         site_numbers_match(&choice.filter, profile, &profile->callers[i]))
 *         show(names->sites[i].function);
 */

/* All zero: every site, by the shipped rules. */
struct site_choice {
    struct symbols_search search;
    struct fold_rules fold;
    struct allocinfo_filter filter;
    struct glob_list focus;
    struct site_sum sum;
};

/*
 * Name the sites of a finished profile: calls to blame (blame.c) or, if
 * `frames` and `wrappers` are NULL, innermost calls. Leave out sites by their
 * names, then sum the rest. Fill `*frames`, which the caller destroys, with the
 * names of all calls; NULL if the source has no stacks.
 */
struct site_names *sites_name(const struct site_choice *choice,
                              enum demangle_arguments arguments,
                              struct profile *profile,
                              struct frame_names **frames,
                              struct text_pool *wrappers);

/* Do the same with names that are known: see blame_name(). */
void sites_choose(const struct site_choice *choice, struct profile *profile,
                  struct site_names *names, struct frame_names *frames,
                  const struct text_pool *wrappers);

/* Return true if live values may be wrong: the source says so, or lost events
   of the site. */
bool site_is_inaccurate(const struct profile *profile,
                        const struct profile_site *site);

/* Return true if the filter wants the numbers of a site. */
bool site_numbers_match(const struct allocinfo_filter *filter,
                        const struct profile *profile,
                        const struct profile_site *site);
