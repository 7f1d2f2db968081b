/* SPDX-License-Identifier: Apache-2.0 */
/*
 * project_file.h - .tally.yaml: the calls that reports of a project hide and
 * focus on
 *
 *     hide: [pool_get, vendor_*]
 *     focus:
 *       - serve
 *
 * Globs are those of --hide and --focus. The file is not trusted.
 */
#pragma once

#include "tool/model/names/names.h"
#include "tool/model/yaml_file.h"
#include "tool/tables/tables.h"

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
