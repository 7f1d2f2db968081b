/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - calls that are not to blame for what they allocate
 *
 * Allocators, their wrappers and containers ask for memory on behalf of their
 * callers. A list of such names ships (fold.c); a user adds globs of a
 * function, a file, FILE:LINE or a module.
 *
 *     struct fold_rules rules = { .hide = { { "cache_*" }, 1, 0 } };
 *
 *     if (fold_matches(&rules, &name))
 *         look_at_the_caller();
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/text/allocinfo_filter.h"
#include "tool/model/names/site_names.h"

enum { GLOB_LIMIT = 64 };

struct glob_list {
    const char *globs[GLOB_LIMIT]; /* strings of somebody else's */
    size_t count;
    size_t given; /* of these by options, before those of a project */
};

enum fold {
    FOLD_NOT,
    FOLD_RULE,    /* one of the list, or of the user's */
    FOLD_WRAPPER, /* as wrappers.h found */
};

struct fold_rules {
    bool is_leaf;    /* no call is folded, not even one of the user's */
    bool is_by_list; /* wrappers are not looked for */
    struct glob_list hide;
};

/* Those that ship alone; and by list, so that what a call is blamed for does
   not change with the calls that come later. */
extern const struct fold_rules fold_shipped, fold_by_list;

bool fold_matches(const struct fold_rules *rules, const struct site_name *name);

/* Whether one of them is like its function, file, FILE:LINE or module. A
   function is known by its qualified name, without type and arguments. */
bool glob_list_matches(const struct glob_list *list,
                       const struct site_name *name);

/*
 * Return true if the filter wants the name; its numbers do not count. A
 * function of C++ may be given without type and arguments, a module by its path
 * or base name. An executable is built in, and has its name as well.
 */
bool name_filter_matches(const struct allocinfo_filter *filter,
                         const struct site_name *name, bool is_executable);

/* Of C++ a function's name without type and arguments, for the caller to free;
   NULL: it has none. */
char *fold_short_name(const char *function);
