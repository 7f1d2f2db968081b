/* SPDX-License-Identifier: Apache-2.0 */
/*
 * project_file.h - .tally.yaml: what reports of a project hide and focus on
 *
 *     hide: [pool_get, vendor_*]
 *     focus:
 *       - serve
 *
 * Globs as --hide and --focus take them. The file is not to be trusted.
 */
#pragma once

#include "tool/model/names/fold.h"
#include "tool/model/yaml_file.h"
#include "tool/tables/text_pool.h"

/* Globs are added to lists of others'. */
struct project_file {
    struct glob_list *hide, *focus;
    struct text_pool *texts; /* which hold what is added */
};

/*
 * Open the nearest file of this user or of root that others may not write, in a
 * folder that they may not write, from this folder up to HOME or the root; no
 * symbolic link. NULL: there is none. *path is for the caller to free.
 */
FILE *project_file_find(char **path);

/* Close `in`. 0, or -1 with the failure filled in. */
int project_file_read(struct project_file *project, const char *name, FILE *in,
                      struct yaml_failure *failure);
