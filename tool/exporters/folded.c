/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - write a line for each stack, for tools that draw flame graphs
 *
 *     OUTERMOST;...;INNERMOST WEIGHT
 *
 * A semicolon in a name becomes a comma: it separates frames here.
 */
#include <inttypes.h>

#include "tool/exporters/exporter.h"

/* Write one stack; `path` has the node of each level up to this one. */
static void write_stack(FILE *out, const struct call_tree *tree,
                        const uint32_t *path, uint32_t node, int64_t weight)
{
    for (uint32_t level = 1; level <= tree->nodes[node].level; level++) {
        if (level > 1)
            fputc(';', out);
        escape_write(out, ESCAPE_FOLDED, tree->nodes[path[level]].name->label,
                     SIZE_MAX);
    }
    fprintf(out, " %" PRId64 "\n", weight);
}

static void write_folded(const struct export_job *job, FILE *out,
                         struct export_result *result)
{
    struct export_tree tree;
    struct call_totals totals;
    struct call_walk walk;
    OWNED uint32_t *path = NULL;
    uint32_t node;

    export_tree_open(&tree, job, CALL_TREE_BY_FUNCTION);
    call_totals_open(&totals, &tree.tree, job->measure);
    call_totals_sort_by_name(&totals, &tree.tree);
    path = memory_zeroed((size_t)tree.tree.levels + 1, sizeof *path);
    call_walk_begin(&walk, &tree.tree, &totals);
    while (call_walk_next(&walk, &node)) {
        int64_t own = call_tree_own(&tree.tree, node)[job->measure];

        path[tree.tree.nodes[node].level] = node;
        if (own > 0)
            write_stack(out, &tree.tree, path, node, own);
    }
    result->negative = totals.negative;
}

const struct exporter exporter_folded = {
    .summary = "a line for each stack, for makers of flame graphs",
    .write = write_folded,
};
