/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_sum.h - sites of one place, module, folder or label as one
 *
 *     site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_MODULE });
 */
#pragma once

#include <stdint.h>

#include "tool/model/names/site_names.h"

/*
 * Sites of one place, module or folder, or what has one label, as one.
 *
 * A function that is inlined has a site in each of its callers, and a kernel
 * has a row for each. Sites are of one place if their file, line, function and
 * module are the same and they are of one kind.
 *
 * The sum of a module or folder has the function "*", for any, and no line. A
 * module's is in the file that the module is, or in "built-in" or "unknown"; a
 * folder's in the folder, whose name ends with "/", of the module "*".
 */
enum site_sum_by {
    SITE_SUM_NONE, /* sites stay as they are */
    SITE_SUM_PLACE,
    SITE_SUM_MODULE,
    SITE_SUM_FOLDER,
    SITE_SUM_LABEL, /* the function is the label's pairs, in order, or none */
};

struct site_sum {
    enum site_sum_by by;
    uint64_t depth; /* of folders: so many names are kept, of "/a/b/c.c" two at
                       most; 0: of a path from "/" on all, else two */
};

/*
 * Sum them in a finished profile and its names; the first of them stays where
 * it was. Those that are left out are summed apart. Sums of modules,
 * folders and labels know no stacks.
 */
void site_sum(struct profile *profile, struct site_names *names,
              const struct site_sum *how);
