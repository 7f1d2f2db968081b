/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_layout.c - where each node of a tree lies in a flame graph
 *
 * Parents have lower numbers, so that they have been placed when their children
 * are: each begins where its elder sibling ends.
 */
#include "tool/exporters/flame_layout.h"

#include <stdlib.h>

uint64_t *flame_layout(const struct call_tree *tree,
                       const struct call_totals *totals)
{
    uint64_t *starts = calloc(tree->count + 1, sizeof *starts);

    for (size_t i = 0; starts != NULL && i < tree->count; i++) {
        uint64_t next = starts[i];

        for (uint32_t j = 0; j < totals->child_counts[i]; j++) {
            uint32_t child = totals->children[totals->first_child[i] + j];

            starts[child] = next;
            next += totals->weights[child];
        }
    }
    return starts;
}
