/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_sum.h - sites of one place as one
 *
 * A function that is inlined has a site in each of its callers, and a kernel
 * has a row for each. Sites are of one place if their file, line, function and
 * module are the same and they are of one kind.
 */
#ifndef TALLY_TOOL_MODEL_SITE_SUM_H
#define TALLY_TOOL_MODEL_SITE_SUM_H

#include "tool/model/profile.h"
#include "tool/model/site_names.h"

/*
 * Sum them in a finished profile and its names; the first of them stays where
 * it was. 0, or -1 without memory, with nothing changed.
 */
int site_sum(struct profile *profile, struct site_names *names);

#endif /* TALLY_TOOL_MODEL_SITE_SUM_H */
