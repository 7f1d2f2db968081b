/* SPDX-License-Identifier: Apache-2.0 */
/* blamed_calls.h - callers to blame for allocations */
#pragma once

#include "tool/model/names/names.h"
#include "tool/model/yaml_file.h"

/*
 * Allocation wrappers: functions that return a block to many
 * callers
 *
 * A function is a wrapper if all of this is true:
 *
 * 1. Its debug information says that it returns raw memory: a pointer to void
 *    or to writable bytes. A function that builds a structure, keeps the block
 *    or returns a number does not.
 * 2. It allocates in at most two of its lines, in all stacks.
 * 3. In some stack all calls inside it are folded or wrappers.
 * 4. At least three functions with names call it, or one wrapper.
 *
 * Without debug information no wrapper is found.
 */

/* Return "folded, as they return the block they got: a, b", for the caller to
   free; NULL without wrappers. */
char *wrappers_text(const struct text_pool *found);

/*
 * .tally.yaml: the calls that reports of a project hide and
 * focus on
 *
 *     hide: [pool_get, vendor_*]
 *     focus:
 *       - serve
 *
 * Globs are those of --hide and --focus. The file is not trusted.
 */

struct project_file {
    struct glob_list *hide, *focus; /* the lists to extend */
    struct text_pool *texts;        /* owns the new globs */
};

/*
 * Open the nearest .tally.yaml, from this folder up to HOME or the root; NULL
 * if there is none. Skip symbolic links, and files and folders that other users
 * own or may write. The caller frees *path.
 */
FILE *project_file_find(char **path);

/* Read and close `in`. Return 0, or -1 with the failure filled in. */
int project_file_read(struct project_file *project, const char *name, FILE *in,
                      struct yaml_failure *failure);

/*
 * The caller to blame for an allocation
 *
 * A recorded site is the call of an allocator. With stacks, a site becomes the
 * innermost call that fold_of() does not fold and that is no wrapper, by
 * function, file and line. A stack of folded calls only keeps the
 * outermost one of the executable, else the innermost one. A stack passes the
 * filter and the focus if any of its calls does.
 *
 *     struct text_pool wrappers = { 0 };
 *     struct blame blame = { &rules, &filter, &focus, &wrappers };
 *     struct frame_names *frames = blame_name(&rules, profile, names,
 *                                             &wrappers);
 *
 *     blame_find(&blame, profile, names, frames);
 *     show(names->sites[i].function); // of profile->callers[i]
 */

struct blame {
    const struct fold_rules *rules;
    const struct allocinfo_filter *filter; /* names only: numbers are ignored */
    const struct glob_list *focus;         /* globs of calls; empty: all */
    const struct text_pool *wrappers;      /* short labels to fold */
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
