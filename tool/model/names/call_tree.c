/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_tree.c - stacks as one tree
 *
 * From the roots, each frame of the profile is a node: it is visited once,
 * however many stacks go through it.
 */
#include "tool/model/names/call_tree.h"

static void add_end(struct call_tree *tree)
{
    size_t count = tree->end_count;

    if (tree->profile != NULL && tree->profile->sample_interval > 1 &&
        !tree->is_exact)
        ARENA_ADD(tree->arena, tree->errors, count, (struct call_error){ 0 });
    ARENA_ADD(tree->arena, tree->ends, tree->end_count,
              (struct call_end){ .folded = 0 });
}

int64_t *call_tree_end(struct call_tree *tree, uint32_t node)
{
    if (tree->nodes[node].end == 0) {
        tree->nodes[node].end = (uint32_t)tree->end_count;
        add_end(tree);
    }
    return tree->ends[tree->nodes[node].end].own;
}

void call_tree_make_root(struct call_tree *tree)
{
    if (tree->count > 0)
        return;
    tree->table.arena = tree->arena;
    add_end(tree);
    ARENA_ADD(tree->arena, tree->nodes, tree->count, (struct call_node){ 0 });
    tree->levels = 1;
}

uint32_t call_tree_child(struct call_tree *tree, uint32_t parent,
                         uint32_t number, const struct frame_name *name)
{
    struct call_node node = { .name = name,
                              .parent = parent,
                              .number = number };

    call_tree_make_root(tree);
    node.level = tree->nodes[parent].level + 1;
    if (node.level >= tree->levels)
        tree->levels = node.level + 1;
    return INDEX_ADD(&tree->table, INDEX_KEY(struct call_node, number),
                     tree->nodes, tree->count, &node);
}

static uint32_t add_child(struct call_tree *tree, uint32_t parent,
                          const struct frame_name *name)
{
    return call_tree_child(tree, parent,
                           tree->key == CALL_TREE_BY_LINE ? name->call_number
                                                          : name->label_number,
                           name);
}

void call_tree_add(struct call_tree *tree, uint32_t node,
                   const struct profile_amounts *amounts)
{
    int64_t *own = call_tree_end(tree, node);

    for (unsigned i = 0; i < MEASURE_COUNT; i++) {
        own[i] = (int64_t)((uint64_t)own[i] +
                           (uint64_t)measure_of(amounts, (enum measure)i));
        if (tree->errors != NULL)
            estimate_error_add(&tree->errors[tree->nodes[node].end].own[i],
                               measure_error(amounts, (enum measure)i));
    }
}

/* Go from the node of its caller to that of a place's innermost call. */
static uint32_t descend(struct call_tree *tree, const struct frame_name *names,
                        size_t count, uint32_t node)
{
    while (count-- > 0)
        node = add_child(tree, node, &names[count]);
    return node;
}

static uint32_t node_of_parent(struct call_tree *tree, const uint32_t *by_frame,
                               uint32_t frame)
{
    if (frame == STACK_CUT)
        return add_child(tree, 0, &frame_truncated);
    return frame == STACK_WHOLE ? 0 : by_frame[frame];
}

void call_tree_add_from_roots(struct call_tree *tree)
{
    const struct stacks *stacks = &tree->profile->stacks;
    OWNED uint32_t *by_frame =
        memory_zeroed(stacks->frame_count + 1, sizeof *by_frame);
    size_t count;

    call_tree_make_root(tree);
    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];
        const struct frame_name *names =
            frame_names_find(tree->names, frame->place, &count);

        by_frame[i] = descend(tree, names, count,
                              node_of_parent(tree, by_frame, frame->parent));
    }
    for (size_t i = 0; i < stacks->stack_count; i++) {
        const struct profile_stack *stack = &stacks->stacks[i];
        const struct frame_name *names;
        uint32_t node;

        if (tree->wanted != NULL && !tree->wanted[i])
            continue;
        names = frame_names_of_stack(tree->names, stack, &count);
        node = descend(tree, names, count,
                       node_of_parent(tree, by_frame, stack->frame));

        call_tree_add(tree, node, &stack->amounts);
        tree->ends[tree->nodes[node].end].folded =
            frame_names_folded(tree->names, stack);
        if (tree->stack_nodes != NULL)
            tree->stack_nodes[i] = node;
    }
    index_table_free(&tree->table);
}

void call_tree_add_from_leaf(struct call_tree *tree,
                             const struct profile_stack *stack,
                             const char *function)
{
    struct stack_walk walk;
    const struct frame_name *name;
    uint32_t node = 0;
    bool has_begun = function == NULL;

    call_tree_make_root(tree);
    stack_walk_begin(&walk, tree->names, stack);
    while ((name = stack_walk_next(&walk)) != NULL) {
        has_begun = has_begun || strcmp(name->label, function) == 0 ||
                    strcmp(frame_name_short(name), function) == 0;
        if (has_begun)
            node = add_child(tree, node, name);
    }
    if (!has_begun)
        return;
    if (walk.is_cut)
        node = add_child(tree, node, &frame_truncated);
    call_tree_add(tree, node, &stack->amounts);
}

/* Nothing below recurs: a tree may be as deep as the deepest stack. */
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

/* Sum all nodes backwards in one pass: parents come first. */
static void sum(struct call_totals *totals, const struct call_tree *tree,
                enum measure measure)
{
    for (size_t i = tree->count; i-- > 0;) {
        int64_t own = call_tree_own(tree, i)[measure];

        totals->negative += own < 0;
        if (own > 0)
            totals->weights[i] += (uint64_t)own;
        if (own > 0 && totals->errors != NULL)
            estimate_error_add(&totals->errors[i],
                               tree->errors[tree->nodes[i].end].own[measure]);
        if (i > 0 && totals->weights[i] > 0) {
            totals->weights[tree->nodes[i].parent] += totals->weights[i];
            if (totals->errors != NULL)
                estimate_error_add(&totals->errors[tree->nodes[i].parent],
                                   totals->errors[i]);
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

void call_totals_open(struct call_totals *totals, const struct call_tree *tree,
                      enum measure measure)
{
    struct arena *arena = tree->arena;
    size_t count = tree->count + 1;

    *totals = (struct call_totals){
        .measure = measure,
        .weights = arena_zeroed(arena, count, sizeof *totals->weights),
        .children = arena_zeroed(arena, count, sizeof *totals->children),
        .first_child = arena_zeroed(arena, count, sizeof *totals->first_child),
        .child_counts =
            arena_zeroed(arena, count, sizeof *totals->child_counts),
    };
    if (tree->errors != NULL)
        totals->errors = arena_zeroed(arena, count, sizeof *totals->errors);
    sum(totals, tree, measure);
    list_children(totals, tree);
    sort_children(totals, tree, totals->weights);
}

void call_walk_begin(struct call_walk *walk, const struct call_tree *tree,
                     const struct call_totals *totals)
{
    *walk = (struct call_walk){
        .tree = tree,
        .totals = totals,
        .cursors = arena_zeroed(tree->arena, (size_t)tree->levels + 1,
                                sizeof *walk->cursors),
    };
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
