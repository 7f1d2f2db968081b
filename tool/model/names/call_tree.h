/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree.h - stacks as one tree
 *
 * Node 0 is the root, which has no name. Parents have lower numbers than their
 * children. Two calls are one node if they have one parent and the same
 * function, or with CALL_TREE_BY_LINE the same line of it. A stack whose outer
 * end is not known begins with a node called "[truncated]".
 *
 *     struct call_tree tree = { .names = names };
 *     struct call_totals totals;
 *
 *     call_tree_add_from_roots(&tree);
 *     call_totals_open(&totals, &tree, MEASURE_LIVE_BYTES);
 *     for (size_t i = 0; i < totals.child_counts[node]; i++)
 *         show(totals.children[totals.first_child[node] + i]);
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/names/frame_names.h"
#include "tool/model/profile/measure.h"

enum call_tree_key { CALL_TREE_BY_FUNCTION, CALL_TREE_BY_LINE };

struct call_node {
    uint32_t parent;
    uint32_t number;               /* of the name, by the tree's key */
    const struct frame_name *name; /* NULL of the root */
    uint32_t level;                /* 0 for the root */
    uint32_t end; /* what stacks that end here weigh: in ends; 0 for none */
};

/* Few nodes are the end of a stack. */
struct call_end {
    int64_t own[MEASURE_COUNT];
    uint32_t folded; /* innermost calls that are not to blame: blame.h */
};

/* Begins as zero but for what is the caller's, which stays. */
struct call_tree {
    struct frame_names *names;
    const struct profile *profile;
    enum call_tree_key key;
    bool is_exact; /* also where the profile was sampled */
    struct call_node *nodes;
    struct call_end *ends; /* the first is all 0 */
    size_t end_count;
    /* Of sampled profiles how uncertain ends are, squared, by end; else
       NULL. */
    struct call_variance {
        double own[MEASURE_COUNT];
    } * variances;
    uint32_t *stack_nodes;    /* the caller's room for the node that each stack
                                 ends at, from the roots; or NULL */
    size_t count;             /* 0: not even the root is there yet */
    uint32_t levels;          /* one more than the highest */
    struct index_table table; /* private */
};

void call_tree_close(struct call_tree *tree);

/* The root alone, which the functions below make, too. */
void call_tree_make_root(struct call_tree *tree);

/* The child of a node that has the number, new or known; the name stays. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
                         uint32_t number, const struct frame_name *name);

/* What stacks that end at the node weigh, by measure. */
static inline const int64_t *call_tree_own(const struct call_tree *tree,
                                           size_t node)
{
    return tree->ends[tree->nodes[node].end].own;
}

/* The same, to be written to: stacks end there. */
int64_t *call_tree_end(struct call_tree *tree, uint32_t node);

/* Say that stacks of these amounts end at the node. */
void call_tree_add(struct call_tree *tree, uint32_t node,
                   const struct profile_amounts *amounts);

/* All stacks, the outermost call first; nothing is added then. */
void call_tree_add_from_roots(struct call_tree *tree);

/* One stack, the innermost call first, from the first one called `function` on;
   NULL: from its begin. A stack without it is left out. */
void call_tree_add_from_leaf(struct call_tree *tree,
                             const struct profile_stack *stack,
                             const char *function);

/* What nodes and all above them weigh by one measure. */
struct call_totals {
    enum measure measure;
    uint64_t *weights;  /* by node */
    double *variances;  /* likewise, where the tree has them; else NULL */
    size_t negative;    /* nodes whose own weight is below 0 and left out */
    uint32_t *children; /* those that weigh something, the heaviest first */
    uint32_t *first_child;
    uint32_t *child_counts;
};

void call_totals_open(struct call_totals *totals, const struct call_tree *tree,
                      enum measure measure);
/* Children by label instead. */
void call_totals_sort_by_name(struct call_totals *totals,
                              const struct call_tree *tree);
void call_totals_close(struct call_totals *totals);

/* All nodes that weigh something, each before its children. */
struct call_walk {
    const struct call_tree *tree; /* private, as is all */
    const struct call_totals *totals;
    uint32_t *cursors; /* by level: how many children were visited */
    uint32_t node;
    bool has_begun;
};

void call_walk_begin(struct call_walk *walk, const struct call_tree *tree,
                     const struct call_totals *totals);
/* False behind the last. */
bool call_walk_next(struct call_walk *walk, uint32_t *node);
void call_walk_end(struct call_walk *walk);
