/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - the entries of a malloc that is linked into a program, and how each
 * is patched
 *
 * By the names in the program's file. All or none: a malloc whose free goes
 * past the recorder would leave nothing but leaks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/ledger/patch_plan.h"

enum { PATCH_WHY_SIZE = 64 };

#define PATCH_NO_ALLOCATOR "no such allocator is in the program"

/*
 * Plan for the program at `path`. false: it defines no malloc, and `why` is "",
 * or it cannot be patched, and `why` says so: "free is too short".
 */
bool patch_plan_make(const char *path, struct patch_plan *plan,
                     char why[PATCH_WHY_SIZE]);

/*
 * Add a second allocator of the program, whose names begin with `prefix`, to a
 * plan that is made or is all zero, from the file at `path`, which lies `bias`
 * further than it is linked for; 0: it does not run yet. False, and the plan is
 * as before: `why` is "", and none is there, or it cannot be patched.
 */
bool patch_plan_add_prefixed(struct patch_plan *plan, const char *path,
                             uint64_t bias, const char *prefix,
                             char why[PATCH_WHY_SIZE]);

/*
 * Add to the plan for a process that runs: what the file at `path`, which lies
 * `bias` further than it is linked for, defines of the malloc family, all or
 * none, or of what else the recorder looks at. False: as above.
 */
enum patch_names { PATCH_FAMILY, PATCH_SERVICES };

bool patch_plan_add(struct patch_plan *plan, const char *path, uint64_t bias,
                    enum patch_names names, char why[PATCH_WHY_SIZE]);

/*
 * The name of an allocator's function that the executable defines itself, or
 * "" when it defines none or is stripped of all names.
 */
void patch_find_allocator(const char *path, char *name, size_t capacity);
