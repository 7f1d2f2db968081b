/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree.h - stacks as one tree
 *
 * Node 0 is the root, which has no name. Parents have lower numbers than their
 * children. Calls are one node if they have one parent and one function, or
 * with CALL_TREE_BY_LINE one line. A truncated stack begins with the node
 * "[truncated]".
 *
 *     struct call_tree tree = { .arena = profile->arena, .names = names };
 *     struct call_totals totals;
 *
 *     call_tree_add_from_roots(&tree);
 *     call_totals_open(&totals, &tree, MEASURE_LIVE_BYTES);
 *     for (size_t i = 0; i < totals.child_counts[node]; i++)
 *         show(totals.children[totals.first_child[node] + i]);
 */
#pragma once

#include "tool/model/names/names.h"

enum call_tree_key { CALL_TREE_BY_FUNCTION, CALL_TREE_BY_LINE };

struct call_node {
    uint32_t parent;
    uint32_t number;               /* label or call number, by the key */
    const struct frame_name *name; /* NULL: the root */
    uint32_t level;                /* calls from the root */
    uint32_t end;                  /* index in ends; 0: no stack ends here */
};

/* Amounts of stacks that end at a node: few nodes have any. */
struct call_end {
    int64_t own[MEASURE_COUNT];
    uint32_t folded; /* innermost calls that are not to blame: blame.c */
};

/* Begins as zero but for the first five fields, `wanted` and `stack_nodes`. */
struct call_tree {
    struct arena *arena; /* of the tree, its totals and walks */
    struct frame_names *names;
    const struct profile *profile;
    enum call_tree_key key;
    bool is_exact; /* keeps no errors, even of a sampled profile */
    struct call_node *nodes;
    struct call_end *ends; /* the first is all 0 */
    size_t end_count;
    /* Errors of a sampled profile, by end; else NULL. */
    struct call_error {
        struct estimate_error own[MEASURE_COUNT];
    } * errors;
    const bool *wanted;       /* by stack, which ones
                                 call_tree_add_from_roots() adds; NULL: all */
    uint32_t *stack_nodes;    /* by stack, the node it ends at, filled by
                                 call_tree_add_from_roots(); or NULL */
    size_t count;             /* 0: there is no root yet */
    uint32_t levels;          /* one more than the highest */
    struct index_table table; /* private */
};

/* Make the root, as all functions below do. */
void call_tree_make_root(struct call_tree *tree);

/* Return the child with that number; the name, which must stay, is that of a
   new one. */
uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
                         uint32_t number, const struct frame_name *name);

/* Return the amounts of stacks that end at the node, by measure. */
static inline const int64_t *call_tree_own(const struct call_tree *tree,
                                           size_t node)
{
    return tree->ends[tree->nodes[node].end].own;
}

/* Return them for writing. */
int64_t *call_tree_end(struct call_tree *tree, uint32_t node);

/* Add the amounts of a stack that ends at the node. */
void call_tree_add(struct call_tree *tree, uint32_t node,
                   const struct profile_amounts *amounts);

/* Add all stacks, outermost call first. Call it last. */
void call_tree_add_from_roots(struct call_tree *tree);

/* Add a stack, innermost call first, from the first call of `function` on, or
   all of it if that is NULL; a short name will do. Leave out a stack without
   such a call. */
void call_tree_add_from_leaf(struct call_tree *tree,
                             const struct profile_stack *stack,
                             const char *function);

/* Sums of nodes and their descendants, by one measure. */
struct call_totals {
    enum measure measure;
    uint64_t *weights;             /* by node */
    struct estimate_error *errors; /* by node, if the tree has some; or NULL */
    size_t negative;        /* nodes left out: their own amount is below 0 */
    uint32_t *children;     /* nodes with a weight, heaviest first */
    uint32_t *first_child;  /* by node, index in children */
    uint32_t *child_counts; /* by node */
};

void call_totals_open(struct call_totals *totals, const struct call_tree *tree,
                      enum measure measure);
/* Sort children by label instead. */
void call_totals_sort_by_name(struct call_totals *totals,
                              const struct call_tree *tree);

/* A walk over nodes with a weight, parents first; private. */
struct call_walk {
    const struct call_tree *tree;
    const struct call_totals *totals;
    uint32_t *cursors; /* by level, children visited */
    uint32_t node;
    bool has_begun;
};

void call_walk_begin(struct call_walk *walk, const struct call_tree *tree,
                     const struct call_totals *totals);
/* Return false after the last node. */
bool call_walk_next(struct call_walk *walk, uint32_t *node);
