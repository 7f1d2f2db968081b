/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_order.c - the orders in which sites may be shown
 *
 * Amounts come largest first, texts in alphabet with the unknown last. Ties are
 * broken by live bytes, total bytes, module and place, so that one ledger
 * always gives one report.
 */
#include "tool/commands/options/site_order.h"

#include <stdlib.h>
#include <string.h>

struct compared_site {
    const struct profile_amounts *amounts;
    const struct profile_site *site;
    const struct site_name *name;
};

typedef int compare_fn(const struct compared_site *a,
                       const struct compared_site *b);

struct site_order {
    const char *name;
    compare_fn *compare; /* NULL: by the measure */
    enum measure measure;
};

/* What qsort_r() passes on. */
struct sorting {
    const struct site_order *order;
    const struct profile *profile;
    const struct site_names *names;
    bool has_stacks; /* rows are stacks */
};

/* The largest first. */
static int by_measure(enum measure measure, const struct compared_site *a,
                      const struct compared_site *b)
{
    int64_t left = measure_of(a->amounts, measure);
    int64_t right = measure_of(b->amounts, measure);

    return (left < right) - (left > right);
}

static int compare_texts(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

static int by_function(const struct compared_site *a,
                       const struct compared_site *b)
{
    return compare_texts(a->name->function, b->name->function);
}

static int by_file(const struct compared_site *a, const struct compared_site *b)
{
    int order = compare_texts(a->name->file, b->name->file);

    if (order != 0)
        return order;
    return (a->name->line > b->name->line) - (a->name->line < b->name->line);
}

static int by_module(const struct compared_site *a,
                     const struct compared_site *b)
{
    return compare_texts(a->name->module, b->name->module);
}

static int by_place(const struct compared_site *a,
                    const struct compared_site *b)
{
    return (a->site->place > b->site->place) -
           (a->site->place < b->site->place);
}

static const struct site_order orders[] = {
    { "live", NULL, MEASURE_LIVE_BYTES },
    { "blocks", NULL, MEASURE_LIVE_BLOCKS },
    { "total", NULL, MEASURE_TOTAL_BYTES },
    { "calls", NULL, MEASURE_TOTAL_BLOCKS },
    { "peak", NULL, MEASURE_PEAK_BYTES },
    { "temporary", NULL, MEASURE_TEMPORARY },
    { "function", by_function, MEASURE_LIVE_BYTES },
    { "file", by_file, MEASURE_LIVE_BYTES },
    { "module", by_module, MEASURE_LIVE_BYTES },
};

enum { ORDER_COUNT = sizeof orders / sizeof orders[0] };

const char *site_order_name(size_t index)
{
    return index < ORDER_COUNT ? orders[index].name : NULL;
}

const struct site_order *site_order_find(const char *name)
{
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        if (strcmp(orders[i].name, name) == 0)
            return &orders[i];
    }
    return NULL;
}

enum measure site_order_measure(const struct site_order *order)
{
    return order->measure;
}

static int compare(const struct site_order *order,
                   const struct compared_site *a, const struct compared_site *b)
{
    int result = order->compare != NULL ? order->compare(a, b)
                                        : by_measure(order->measure, a, b);

    if (result == 0)
        result = by_measure(MEASURE_LIVE_BYTES, a, b);
    if (result == 0)
        result = by_measure(MEASURE_TOTAL_BYTES, a, b);
    if (result == 0)
        result = by_module(a, b);
    return result != 0 ? result : by_place(a, b);
}

static struct compared_site compared_at(const struct sorting *sorting,
                                        size_t index)
{
    const struct profile *profile = sorting->profile;
    const struct profile_stack *stack =
        sorting->has_stacks ? &profile->stacks.stacks[index] : NULL;
    size_t number = stack != NULL ? stack->site : index;
    const struct profile_site *site = &profile->sites[number];

    return (struct compared_site){ stack != NULL ? &stack->amounts
                                                 : &site->amounts,
                                   site, &sorting->names->sites[number] };
}

static int compare_rows(const void *left, const void *right, void *sorting)
{
    size_t a_index = *(const size_t *)left, b_index = *(const size_t *)right;
    struct compared_site a = compared_at(sorting, a_index);
    struct compared_site b = compared_at(sorting, b_index);
    int result = compare(((const struct sorting *)sorting)->order, &a, &b);

    return result != 0 ? result : (a_index > b_index) - (a_index < b_index);
}

void site_order_sort(const struct site_order *order,
                     const struct profile *profile,
                     const struct site_names *names, bool has_stacks,
                     size_t *rows, size_t count)
{
    struct sorting sorting = { order, profile, names, has_stacks };

    qsort_r(rows, count, sizeof *rows, compare_rows, &sorting);
}
