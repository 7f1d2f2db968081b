/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_sum.h - sums of sites by place, module, folder or label
 *
 *     site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_MODULE });
 */
#pragma once

#include <stdint.h>

#include "tool/model/names/names.h"

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
