/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_pack.c - see page_pack.h
 *
 * Most stacks ask for blocks of one size, and figures are the sums of changes:
 * what is left is mostly 0.
 */
#include "tool/web/page_pack.h"

#include <stdlib.h>

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

/* The figures of a comparison stay. */
void page_pack(struct page_tree *tree)
{
    struct page_change *change = tree->changes;
    struct call_end *own = tree->own.ends;

    for (size_t i = 0; i < tree->own.end_count; i++)
        tree->ends[i].size = find_size(own[tree->end_order[i]].own);
    for (size_t i = 0; i < tree->change_count; i++, change++) {
        int64_t *figures = own[tree->end_order[change->end]].own;
        uint64_t size = tree->ends[change->end].size, *grown = change->grown;

        for (unsigned unit = 0; unit < 2; unit++) {
            take(&figures[MEASURE_TOTAL_BLOCKS - unit], grown[unit]);
            take(&figures[MEASURE_LIVE_BLOCKS - unit],
                 grown[unit] - grown[unit + 2]);
        }
        grown[1] -= grown[0] * size;
        grown[3] -= grown[2] * size;
    }
    for (size_t i = 0; i < tree->own.end_count; i++) {
        int64_t *figures = own[tree->end_order[i]].own;

        for (unsigned which = 0; which < MEASURE_TEMPORARY; which += 2)
            take(&figures[which],
                 (uint64_t)figures[which + 1] * tree->ends[i].size);
    }
    change = tree->changes;
    for (size_t i = 0; i < tree->instant_count; i++) {
        if (tree->change_counts[i] > 0)
            qsort(change, tree->change_counts[i], sizeof *change, compare_ends);
        change += tree->change_counts[i];
    }
}
