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

/* Each call is followed by those that it made. `numbers` becomes those of ends,
   by what they were. */
static void walk(struct page_tree *tree, uint32_t *numbers)
{
    size_t count = tree->node_count;
    struct page_node *nodes = tree->nodes;
    uint32_t *first = memory_zeroed(count, sizeof *first);
    uint32_t *next = memory_zeroed(count, sizeof *next);
    uint32_t at = 0, last = 0;

    for (size_t i = count; i-- > 1;) {
        next[i] = first[nodes[i].parent];
        first[nodes[i].parent] = (uint32_t)i;
    }
    tree->node_order = memory_zeroed(count, sizeof *tree->node_order);
    tree->end_order =
        memory_zeroed(tree->calls->end_count, sizeof *tree->end_order);
    for (uint32_t i = 1; i < count; i++) {
        uint32_t caller = at, out = 0, end;

        for (; first[caller] == 0; out++)
            caller = nodes[caller].parent;
        at = first[caller];
        first[caller] = next[at];
        tree->node_order[i] = at;
        end = nodes[at].end;
        nodes[at].out = out;
        if (end == 0)
            continue;
        tree->end_order[++last] = end;
        numbers[end] = last;
        tree->ends[end].node = i;
    }
    free(first);
    free(next);
}

/* Figures are bytes and blocks in turn at first. */
static uint64_t find_size(const int64_t *figures)
{
    uint64_t size = 0;

    for (unsigned i = 0; i < MEASURE_TEMPORARY; i += 2)
        if (figures[i] > 0 && figures[i + 1] > 0)
            size = (uint64_t)(figures[i] / figures[i + 1]);
    return size;
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
    struct call_end *own = tree->own.ends; /* those of a comparison stay */

    walk(tree, numbers);
    for (size_t i = 0; i < tree->own.end_count; i++)
        tree->ends[i].size = find_size(own[i].own);
    for (size_t i = 0; i < tree->change_count; i++, change++) {
        int64_t *figures = own[change->end].own;
        uint64_t size = tree->ends[change->end].size, *grown = change->grown;

        change->end = numbers[change->end];
        for (unsigned unit = 0; unit < 2; unit++) {
            take(&figures[MEASURE_TOTAL_BLOCKS - unit], grown[unit]);
            take(&figures[MEASURE_LIVE_BLOCKS - unit],
                 grown[unit] - grown[unit + 2]);
        }
        grown[1] -= grown[0] * size;
        grown[3] -= grown[2] * size;
    }
    for (size_t i = 0; i < tree->own.end_count; i++)
        for (unsigned which = 0; which < MEASURE_TEMPORARY; which += 2)
            take(&own[i].own[which],
                 (uint64_t)own[i].own[which + 1] * tree->ends[i].size);
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
