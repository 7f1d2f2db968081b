/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_names.h - what slabs and heaps are called that the program gave no
 * name
 *
 * One that is a variable is called as the variable, which the symbols of its
 * file tell, as in a trace (trace_names.h). Nothing is taken from a file with
 * another build-id than the one that was loaded.
 */
#ifndef TALLY_TOOL_MODEL_REGION_NAMES_H
#define TALLY_TOOL_MODEL_REGION_NAMES_H

#include "tool/model/profile/profile.h"

/*
 * Name the regions of a profile as far as that is known; files are below
 * `sysroot` unless that is NULL.
 */
void region_names_find(struct profile *profile, const char *sysroot);

#endif /* TALLY_TOOL_MODEL_REGION_NAMES_H */
