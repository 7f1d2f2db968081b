/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_pack.c - see page_pack.h
 *
 * In a walk most calls lie behind their caller. Most stacks ask for blocks of
 * one size, and figures are the sums of changes: what is left is mostly 0.
 */
#include "tool/web/page_pack.h"

#include <stdlib.h>
#include <string.h>

/* The end that a node has; figures are bytes and blocks in turn at first. */
static void add_end(struct page_tree *tree, struct page_end *end, uint32_t own)
{
    int64_t *figures = end->figures;

    end->inherited_blocks = tree->ends[own].inherited_blocks;
    end->inherited_bytes = tree->ends[own].inherited_bytes;
    memcpy(figures, tree->calls->ends[own].own, sizeof end->figures);
    for (unsigned i = 0;
         tree->subject->profile != NULL && i < MEASURE_TEMPORARY; i += 2)
        if (figures[i] > 0 && figures[i + 1] > 0)
            end->size = (uint64_t)(figures[i] / figures[i + 1]);
}

/* Each call is followed by those that it made. `numbers` becomes those of ends,
   by what they were. */
static void walk(struct page_tree *tree, uint32_t *numbers)
{
    size_t count = tree->node_count, end_count = tree->calls->end_count;
    struct page_node *nodes = memory_zeroed(count, sizeof *nodes);
    struct page_end *ends = memory_zeroed(end_count, sizeof *ends);
    uint32_t *first = memory_zeroed(count, sizeof *first);
    uint32_t *next = memory_zeroed(count, sizeof *next);
    uint32_t *end_at = memory_zeroed(count, sizeof *end_at);
    uint32_t at = 0, last = 0;

    for (size_t i = count; i-- > 1;) {
        next[i] = first[tree->nodes[i].parent];
        first[tree->nodes[i].parent] = (uint32_t)i;
    }
    for (uint32_t i = 1; i < end_count; i++)
        end_at[tree->ends[i].node] = i;
    tree->end_order = memory_zeroed(end_count, sizeof *tree->end_order);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t caller = at;

        for (; first[caller] == 0; nodes[i].out++)
            caller = tree->nodes[caller].parent;
        at = first[caller];
        first[caller] = next[at];
        nodes[i].name = tree->nodes[at].name;
        if (end_at[at] == 0)
            continue;
        tree->end_order[++last] = end_at[at];
        numbers[end_at[at]] = last;
        ends[last].node = i;
        add_end(tree, &ends[last], end_at[at]);
    }
    free(tree->nodes);
    free(tree->ends);
    tree->nodes = nodes;
    tree->ends = ends;
    free(first);
    free(next);
    free(end_at);
}

static void take(int64_t *figure, uint64_t amount)
{
    *figure = (int64_t)((uint64_t)*figure - amount);
}

static int compare_ends(const void *left, const void *right)
{
    const struct page_change *a = left, *b = right;

    return (a->end > b->end) - (a->end < b->end);
}

void page_pack(struct page_tree *tree)
{
    uint32_t *numbers = memory_zeroed(tree->calls->end_count, sizeof *numbers);
    struct page_change *change = tree->changes;

    walk(tree, numbers);
    for (size_t i = 0; i < tree->change_count; i++, change++) {
        struct page_end *end = &tree->ends[numbers[change->end]];
        uint64_t *grown = change->grown;

        change->end = numbers[change->end];
        for (unsigned unit = 0; unit < 2; unit++) {
            take(&end->figures[MEASURE_TOTAL_BLOCKS - unit], grown[unit]);
            take(&end->figures[MEASURE_LIVE_BLOCKS - unit],
                 grown[unit] - grown[unit + 2]);
        }
        grown[1] -= grown[0] * end->size;
        grown[3] -= grown[2] * end->size;
    }
    for (size_t i = 0; i < tree->calls->end_count; i++)
        for (unsigned which = 0; which < MEASURE_TEMPORARY; which += 2)
            take(&tree->ends[i].figures[which],
                 (uint64_t)tree->ends[i].figures[which + 1] *
                     tree->ends[i].size);
    for (size_t i = 0; i < tree->life_count; i++)
        tree->lives[i].end = numbers[tree->lives[i].end];
    change = tree->changes;
    for (size_t i = 0; i < tree->instant_count; i++) {
        if (tree->change_counts[i] > 0)
            qsort(change, tree->change_counts[i], sizeof *change, compare_ends);
        change += tree->change_counts[i];
    }
    free(numbers);
}
