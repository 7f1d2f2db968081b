/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export_tree.h - the exported tree, from the outermost call on
 *
 * Nodes are functions or their lines if the source has stacks. If it has only
 * call sites, each site is a stack of up to three:
 *
 *     MODULE  FILE  FUNCTION:LINE
 *
 * MODULE is [NAME] for a shared object or a kernel's module, the executable's
 * name for its own sites and "built-in" in an allocinfo text. FILE is one frame
 * with any number of folders. FILE and the line are left out if they are
 * unknown.
 */
#pragma once

#include <stdbool.h>

#include "tool/exporters/exporter.h"
#include "tool/model/names/call_tree.h"
#include "tool/tables/tables.h"

struct export_tree {
    struct call_tree tree;
    bool is_of_sites;        /* nodes are not calls */
    struct text_pool labels; /* private: labels of sites */
    struct frame_name **made;
};

/* Build the tree of the heap's sites. The key applies to stacks. */
void export_tree_open(struct export_tree *tree, const struct export_job *job,
                      enum call_tree_key key);
void export_tree_close(struct export_tree *tree);
