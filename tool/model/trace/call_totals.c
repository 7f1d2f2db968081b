/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_totals.c - what the nodes of a tree of calls weigh, and in which order
 *
 * A tree may be as deep as the deepest stack, so that nothing here recurs.
 */
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/call_tree.h"

struct child_order {
    const struct call_tree *tree;
    const uint64_t *weights; /* NULL: by name alone */
};

static int compare_names(const struct frame_name *a, const struct frame_name *b)
{
    int order = strcmp(a->label, b->label);

    if (order == 0)
        order = strcmp(a->name.file == NULL ? "" : a->name.file,
                       b->name.file == NULL ? "" : b->name.file);
    if (order == 0)
        order = (a->name.line > b->name.line) - (a->name.line < b->name.line);
    if (order == 0)
        order = strcmp(a->name.module == NULL ? "" : a->name.module,
                       b->name.module == NULL ? "" : b->name.module);
    return order;
}

static int compare_children(const void *left, const void *right, void *argument)
{
    const struct child_order *order = argument;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int result = 0;

    if (order->weights != NULL)
        result = (order->weights[a] < order->weights[b]) -
                 (order->weights[a] > order->weights[b]);
    if (result == 0)
        result = compare_names(order->tree->nodes[a].name,
                               order->tree->nodes[b].name);
    return result != 0 ? result : (a > b) - (a < b);
}

static void sort_children(struct call_totals *totals,
                          const struct call_tree *tree, const uint64_t *weights)
{
    struct child_order order = { tree, weights };

    for (size_t i = 0; i < tree->count; i++) {
        if (totals->child_counts[i] > 1)
            qsort_r(totals->children + totals->first_child[i],
                    totals->child_counts[i], sizeof *totals->children,
                    compare_children, &order);
    }
}

void call_totals_sort_by_name(struct call_totals *totals,
                              const struct call_tree *tree)
{
    sort_children(totals, tree, NULL);
}

/* Children come behind their parents, so that one pass backwards sums all. */
static void sum(struct call_totals *totals, const struct call_tree *tree,
                enum measure measure)
{
    for (size_t i = tree->count; i-- > 0;) {
        int64_t own = call_tree_own(tree, i)[measure];

        totals->negative += own < 0;
        if (own > 0)
            totals->weights[i] += (uint64_t)own;
        if (own > 0 && totals->variances != NULL)
            totals->variances[i] +=
                tree->variances[tree->nodes[i].end].own[measure];
        if (i > 0 && totals->weights[i] > 0) {
            totals->weights[tree->nodes[i].parent] += totals->weights[i];
            if (totals->variances != NULL)
                totals->variances[tree->nodes[i].parent] +=
                    totals->variances[i];
            totals->child_counts[tree->nodes[i].parent]++;
        }
    }
}

static void list_children(struct call_totals *totals,
                          const struct call_tree *tree)
{
    uint32_t next = 0;

    for (size_t i = 0; i < tree->count; i++) {
        totals->first_child[i] = next;
        next += totals->child_counts[i];
        totals->child_counts[i] = 0;
    }
    for (size_t i = 1; i < tree->count; i++) {
        uint32_t parent = tree->nodes[i].parent;

        if (totals->weights[i] > 0)
            totals->children[totals->first_child[parent] +
                             totals->child_counts[parent]++] = (uint32_t)i;
    }
}

int call_totals_open(struct call_totals *totals, const struct call_tree *tree,
                     enum measure measure)
{
    size_t count = tree->count + 1;

    *totals = (struct call_totals){
        .measure = measure,
        .weights = calloc(count, sizeof *totals->weights),
        .children = calloc(count, sizeof *totals->children),
        .first_child = calloc(count, sizeof *totals->first_child),
        .child_counts = calloc(count, sizeof *totals->child_counts),
    };
    if (totals->weights == NULL || totals->children == NULL ||
        totals->first_child == NULL || totals->child_counts == NULL)
        return -1;
    if (tree->variances != NULL) {
        totals->variances = calloc(count, sizeof *totals->variances);
        if (totals->variances == NULL)
            return -1;
    }
    sum(totals, tree, measure);
    list_children(totals, tree);
    sort_children(totals, tree, totals->weights);
    return 0;
}

void call_totals_keep_weights(struct call_totals *totals)
{
    free(totals->children);
    free(totals->first_child);
    free(totals->child_counts);
    totals->children = NULL;
    totals->first_child = NULL;
    totals->child_counts = NULL;
}

void call_totals_close(struct call_totals *totals)
{
    free(totals->weights);
    free(totals->variances);
    free(totals->children);
    free(totals->first_child);
    free(totals->child_counts);
    *totals = (struct call_totals){ 0 };
}

int call_walk_begin(struct call_walk *walk, const struct call_tree *tree,
                    const struct call_totals *totals)
{
    *walk = (struct call_walk){
        .tree = tree,
        .totals = totals,
        .cursors = calloc((size_t)tree->levels + 1, sizeof *walk->cursors),
    };
    return walk->cursors == NULL ? -1 : 0;
}

bool call_walk_next(struct call_walk *walk, uint32_t *node)
{
    const struct call_node *nodes = walk->tree->nodes;
    const struct call_totals *totals = walk->totals;

    if (!walk->has_begun) {
        walk->has_begun = true;
        *node = walk->node;
        return walk->tree->count > 0;
    }
    for (;;) {
        uint32_t at = walk->node;
        uint32_t *cursor = &walk->cursors[nodes[at].level];

        if (*cursor < totals->child_counts[at]) {
            walk->node = totals->children[totals->first_child[at] + *cursor];
            (*cursor)++;
            walk->cursors[nodes[walk->node].level] = 0;
            *node = walk->node;
            return true;
        }
        if (at == 0)
            return false;
        walk->node = nodes[at].parent;
    }
}

void call_walk_end(struct call_walk *walk)
{
    free(walk->cursors);
    walk->cursors = NULL;
}
