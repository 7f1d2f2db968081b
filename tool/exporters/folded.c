/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folded.c - write a line for each stack, for tools that draw flame graphs
 *
 *     OUTERMOST;...;INNERMOST WEIGHT
 *
 * A semicolon in a name becomes a comma: it separates frames here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/exporters/exporter.h"
#include "tool/text/text.h"

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

static void write_tree(const struct call_tree *tree,
                       const struct call_totals *totals, enum measure measure,
                       FILE *out)
{
    uint32_t *path = memory_zeroed((size_t)tree->levels + 1, sizeof *path);
    struct call_walk walk;
    uint32_t node;

    call_walk_begin(&walk, tree, totals);
    while (call_walk_next(&walk, &node)) {
        int64_t own = call_tree_own(tree, node)[measure];

        path[tree->nodes[node].level] = node;
        if (own > 0)
            write_stack(out, tree, path, node, own);
    }
    call_walk_end(&walk);
    free(path);
}

static void write_folded(const struct export_job *job, FILE *out,
                         struct export_result *result)
{
    struct export_tree tree;
    struct call_totals totals;

    export_tree_open(&tree, job, CALL_TREE_BY_FUNCTION);
    call_totals_open(&totals, &tree.tree, job->measure);
    call_totals_sort_by_name(&totals, &tree.tree);
    write_tree(&tree.tree, &totals, job->measure, out);
    result->negative = totals.negative;
    call_totals_close(&totals);
    export_tree_close(&tree);
}

const struct exporter exporter_folded = {
    .summary = "a line for each stack, for makers of flame graphs",
    .write = write_folded,
};
