/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - patterns of calls: those to fold, and those that a user asks for
 *
 * Allocators, wrappers and containers allocate on behalf of their callers, who
 * are to blame. Tally ships a list of their names (fold.c). A user adds globs
 * of functions, files, FILE:LINE or modules.
 *
 *     struct fold_rules rules = { .hide = { { "cache_*" }, 1, 0 } };
 *
 *     if (fold_matches(&rules, &name))
 *         look_at_the_caller();
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/names/site_names.h"

enum { GLOB_LIMIT = 64 };

struct glob_list {
    const char *globs[GLOB_LIMIT]; /* not owned */
    size_t count;
    size_t given; /* globs from options, which come before the project's */
};

enum fold {
    FOLD_NOT,
    FOLD_RULE,    /* in the shipped list, or hidden by the user */
    FOLD_WRAPPER, /* found by wrappers.h */
};

struct fold_rules {
    bool is_leaf;    /* fold no call, not even hidden ones */
    bool is_by_list; /* find no wrappers */
    struct glob_list hide;
};

/* The shipped rules; and without wrappers, so that later calls do not change
   the blame of earlier ones. */
extern const struct fold_rules fold_shipped, fold_by_list;

bool fold_matches(const struct fold_rules *rules, const struct site_name *name);

/* Return true if a glob matches the function, file, FILE:LINE or module. A
   function of C++ may be given by its qualified name alone. */
bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name);

/*
 * Return true if the filter wants the name; its numbers do not count. A
 * function of C++ may be given without type and arguments, a module by its path
 * or base name. An executable is built in, and has its name as well.
 */
bool name_filter_matches(const struct allocinfo_filter *filter,
                         const struct site_name *name, bool is_executable);

/* Return the qualified name of a C++ function, without type and arguments, for
   the caller to free; NULL if the function is not one of C++. */
char *fold_short_name(const char *function);
