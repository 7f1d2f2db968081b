/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison.c - two sets of rows, place by place
 *
 * Both sides are sorted by place and walked side by side.
 */
#include "tool/model/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/site_rows.h"

static int compare_pointers(const void *left, const void *right)
{
    return site_rows_compare(*(const struct allocinfo_row *const *)left,
                             *(const struct allocinfo_row *const *)right);
}

/* Pointers to the rows in the order of their places; NULL without memory. */
static const struct allocinfo_row **
sort_side(const struct comparison_side *side)
{
    const struct allocinfo_row **sorted =
        calloc(side->count + 1, sizeof *sorted);

    if (sorted == NULL)
        return NULL;
    for (size_t i = 0; i < side->count; i++)
        sorted[i] = &side->rows[i];
    qsort(sorted, side->count, sizeof *sorted, compare_pointers);
    return sorted;
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct comparison_amounts add_amounts(struct comparison_amounts a,
                                             struct comparison_amounts b)
{
    return (struct comparison_amounts){
        add(a.bytes, b.bytes),
        add(a.blocks, b.blocks),
        a.bytes_variance + b.bytes_variance,
        a.blocks_variance + b.blocks_variance,
    };
}

static struct comparison_amounts subtract(struct comparison_amounts a,
                                          struct comparison_amounts b)
{
    b.bytes = (int64_t)(0 - (uint64_t)b.bytes);
    b.blocks = (int64_t)(0 - (uint64_t)b.blocks);
    return add_amounts(a, b);
}

/* What a side holds at one place. */
struct found {
    struct comparison_amounts amounts;
    bool is_there;
    bool is_inaccurate;
};

/* Take the rows of the place from the front of a sorted side. */
static struct found take(const struct allocinfo_row ***at,
                         const struct allocinfo_row *const *end,
                         const struct allocinfo_row *place)
{
    struct found found = { 0 };

    for (; *at < end && site_rows_compare(**at, place) == 0; (*at)++) {
        struct comparison_amounts amounts = { (**at)->bytes,
                                              (int64_t)(**at)->calls,
                                              (**at)->bytes_variance,
                                              (**at)->calls_variance };

        found.is_there = true;
        found.is_inaccurate = found.is_inaccurate || (**at)->is_inaccurate;
        found.amounts = add_amounts(found.amounts, amounts);
    }
    return found;
}

static void add_row(struct comparison *comparison,
                    const struct allocinfo_row *place, struct found before,
                    struct found after)
{
    struct comparison_row row = {
        .place = place,
        .before = before.amounts,
        .after = after.amounts,
        .growth = subtract(after.amounts, before.amounts),
        .is_inaccurate = before.is_inaccurate || after.is_inaccurate,
        .is_unsure = before.is_inaccurate != after.is_inaccurate,
    };

    if (!before.is_there)
        row.state = COMPARISON_NEW;
    else if (!after.is_there)
        row.state = COMPARISON_GONE;
    comparison->rows[comparison->count++] = row;
    comparison->before = add_amounts(comparison->before, row.before);
    comparison->after = add_amounts(comparison->after, row.after);
    comparison->growth = add_amounts(comparison->growth, row.growth);
    comparison->unsure_rows += row.is_unsure;
    comparison->inaccurate_rows += row.is_inaccurate && !row.is_unsure;
}

static void walk(struct comparison *comparison,
                 const struct allocinfo_row **before, size_t before_count,
                 const struct allocinfo_row **after, size_t after_count)
{
    const struct allocinfo_row *const *before_end = before + before_count;
    const struct allocinfo_row *const *after_end = after + after_count;

    while (before < before_end || after < after_end) {
        bool is_before =
            after == after_end ||
            (before < before_end && site_rows_compare(*before, *after) < 0);
        const struct allocinfo_row *place = is_before ? *before : *after;
        struct found old = take(&before, before_end, place);

        add_row(comparison, place, old, take(&after, after_end, place));
    }
}

int comparison_open(struct comparison *comparison,
                    const struct comparison_side *before,
                    const struct comparison_side *after)
{
    const struct allocinfo_row **old = sort_side(before);
    const struct allocinfo_row **new = sort_side(after);
    int error = -1;

    *comparison = (struct comparison){
        .rows =
            calloc(before->count + after->count + 1, sizeof *comparison->rows),
    };
    if (comparison->rows != NULL && old != NULL && new != NULL) {
        walk(comparison, old, before->count, new, after->count);
        error = 0;
    }
    free(old);
    free(new);
    return error;
}

void comparison_close(struct comparison *comparison)
{
    free(comparison->rows);
    *comparison = (struct comparison){ 0 };
}

double comparison_percent(const struct comparison *comparison)
{
    double before = (double)comparison->before.bytes;
    double growth = (double)comparison->growth.bytes;

    if (growth == 0)
        return 0;
    if (before <= 0)
        return growth > 0 ? INFINITY : -INFINITY;
    return growth * 100 / before;
}

typedef int compare_fn(const struct comparison_row *a,
                       const struct comparison_row *b);

static int descending(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int by_growth(const struct comparison_row *a,
                     const struct comparison_row *b)
{
    return descending(a->growth.bytes, b->growth.bytes);
}

static int by_blocks(const struct comparison_row *a,
                     const struct comparison_row *b)
{
    return descending(a->growth.blocks, b->growth.blocks);
}

static int by_before(const struct comparison_row *a,
                     const struct comparison_row *b)
{
    return descending(a->before.bytes, b->before.bytes);
}

static int by_after(const struct comparison_row *a,
                    const struct comparison_row *b)
{
    return descending(a->after.bytes, b->after.bytes);
}

static int by_function(const struct comparison_row *a,
                       const struct comparison_row *b)
{
    return allocinfo_compare_texts(a->place->function, b->place->function);
}

static int by_place(const struct comparison_row *a,
                    const struct comparison_row *b)
{
    return site_rows_compare(a->place, b->place);
}

static int by_module(const struct comparison_row *a,
                     const struct comparison_row *b)
{
    return allocinfo_compare_texts(a->place->module, b->place->module);
}

struct comparison_order {
    const char *name;
    compare_fn *compare;
};

static const struct comparison_order orders[] = {
    { "growth", by_growth },     { "blocks", by_blocks },
    { "before", by_before },     { "after", by_after },
    { "function", by_function }, { "file", by_place },
    { "module", by_module },
};

enum { ORDER_COUNT = sizeof orders / sizeof orders[0] };

const char *comparison_order_name(size_t index)
{
    return index < ORDER_COUNT ? orders[index].name : NULL;
}

const struct comparison_order *comparison_order_find(const char *name)
{
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        if (strcmp(orders[i].name, name) == 0)
            return &orders[i];
    }
    return NULL;
}

/* Ties are broken by growth and place: no two rows are equal. */
static int compare_rows(const void *left, const void *right, void *argument)
{
    const struct comparison_order *order = argument;
    int result = order->compare(left, right);

    if (result == 0)
        result = by_growth(left, right);
    if (result == 0)
        result = by_blocks(left, right);
    return result != 0 ? result : by_place(left, right);
}

void comparison_sort(struct comparison *comparison,
                     const struct comparison_order *order)
{
    qsort_r(comparison->rows, comparison->count, sizeof *comparison->rows,
            compare_rows, (void *)(uintptr_t)order);
}
