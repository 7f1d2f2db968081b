/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region_comparison.c - growth from one trace to another, region by region
 *
 * Sort and walk both sides together, first by name, then by address.
 */
#include "tool/model/compare/compare.h"

/* The regions of a trace that are not paired yet. */
struct side {
    const struct region **regions;
    size_t count;
};

typedef int compare_fn(const void *left, const void *right);

/* Regions without a name are never the same. */
static int by_name(const void *left, const void *right)
{
    const struct region *a = left, *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->name == NULL || b->name == NULL)
        return a->name != NULL ? 1 : -1;
    return strcmp(a->name, b->name);
}

static int compare_addresses(const void *left, const void *right)
{
    return regions_compare(*(void *const *)left, *(void *const *)right);
}

static int compare_names(const void *left, const void *right)
{
    const struct region *a = *(const struct region *const *)left;
    const struct region *b = *(const struct region *const *)right;
    int order;

    if (a->kind == b->kind && a->name == NULL && b->name == NULL)
        return regions_compare(a, b);
    order = by_name(a, b);
    return order != 0 ? order : regions_compare(a, b);
}

static void add_pair(struct region_comparison *comparison,
                     const struct region *before, const struct region *after)
{
    struct region_pair *pair = &comparison->pairs[comparison->count++];

    *pair = (struct region_pair){ .before = before, .after = after };
    if (before != NULL) {
        pair->growth.used -= (int64_t)before->used;
        pair->growth.peak -= (int64_t)before->peak;
    }
    if (after != NULL) {
        pair->growth.used += (int64_t)after->used;
        pair->growth.peak += (int64_t)after->peak;
    }
    comparison->growth.used += pair->growth.used;
    comparison->growth.peak += pair->growth.peak;
}

/* Pair equal regions, and leave the rest in the sides. */
static void pair_equal(struct region_comparison *comparison,
                       struct side *before, struct side *after,
                       compare_fn *compare_pointers, compare_fn *compare)
{
    struct side rest_before = { before->regions, 0 };
    struct side rest_after = { after->regions, 0 };
    size_t i = 0, j = 0;

    ARRAY_SORT(before->regions, before->count, compare_pointers);
    ARRAY_SORT(after->regions, after->count, compare_pointers);
    while (i < before->count || j < after->count) {
        int order = i == before->count ? 1
                    : j == after->count
                        ? -1
                        : compare(before->regions[i], after->regions[j]);

        if (order == 0)
            add_pair(comparison, before->regions[i++], after->regions[j++]);
        else if (order < 0)
            rest_before.regions[rest_before.count++] = before->regions[i++];
        else
            rest_after.regions[rest_after.count++] = after->regions[j++];
    }
    *before = rest_before;
    *after = rest_after;
}

/* Largest change first; of equals, the lower address. */
static int compare_pairs(const void *left, const void *right)
{
    const struct region_pair *a = left, *b = right;
    const struct region *one = a->after != NULL ? a->after : a->before;
    const struct region *other = b->after != NULL ? b->after : b->before;
    int order = comparison_by_change(a->growth.used, b->growth.used);

    if (order == 0)
        order = comparison_by_change(a->growth.peak, b->growth.peak);
    return order != 0 ? order : regions_compare(one, other);
}

static void side_open(struct side *side, const struct regions *regions,
                      struct region_amounts *sum)
{
    side->regions = regions_in_order(regions);
    side->count = regions->count;
    for (size_t i = 0; i < regions->count; i++) {
        sum->used += (int64_t)regions->items[i].used;
        sum->peak += (int64_t)regions->items[i].peak;
    }
}

void region_comparison_open(struct region_comparison *comparison,
                            const struct regions *before,
                            const struct regions *after)
{
    struct side sides[2];

    *comparison = (struct region_comparison){
        .pairs = memory_zeroed(before->count + after->count + 1,
                               sizeof *comparison->pairs),
    };
    side_open(&sides[0], before, &comparison->before);
    side_open(&sides[1], after, &comparison->after);
    pair_equal(comparison, &sides[0], &sides[1], compare_names, by_name);
    pair_equal(comparison, &sides[0], &sides[1], compare_addresses,
               regions_compare);
    for (size_t i = 0; i < sides[0].count; i++)
        add_pair(comparison, sides[0].regions[i], NULL);
    for (size_t i = 0; i < sides[1].count; i++)
        add_pair(comparison, NULL, sides[1].regions[i]);
    ARRAY_SORT(comparison->pairs, comparison->count, compare_pairs);
    free(sides[0].regions);
    free(sides[1].regions);
}

void region_comparison_close(struct region_comparison *comparison)
{
    free(comparison->pairs);
    *comparison = (struct region_comparison){ 0 };
}
