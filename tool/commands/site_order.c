/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_order.c - the orders in which sites may be shown
 *
 * Amounts come largest first, texts in alphabet with the unknown last. Ties are
 * broken by live bytes, total bytes, module and place, so that one ledger
 * always gives one report.
 */
#include "tool/commands/site_order.h"

#include <stdlib.h>
#include <string.h>

struct compared_site {
    const struct profile_site *site;
    const struct site_name *name;
};

typedef int compare_fn(const struct compared_site *a,
                       const struct compared_site *b);

struct site_order {
    const char *name;
    compare_fn *compare;
};

/* What qsort_r() passes to compare_indices(). */
struct sorting {
    const struct site_order *order;
    const struct profile *profile;
    const struct site_names *names;
};

static int compare_unsigned(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int compare_signed(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

static int compare_texts(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

static int by_live(const struct compared_site *a, const struct compared_site *b)
{
    return compare_signed(a->site->amounts.live_bytes,
                          b->site->amounts.live_bytes);
}

static int by_blocks(const struct compared_site *a,
                     const struct compared_site *b)
{
    return compare_signed(a->site->amounts.live_blocks,
                          b->site->amounts.live_blocks);
}

static int by_total(const struct compared_site *a,
                    const struct compared_site *b)
{
    return compare_unsigned(a->site->amounts.alloc_bytes,
                            b->site->amounts.alloc_bytes);
}

static int by_calls(const struct compared_site *a,
                    const struct compared_site *b)
{
    return compare_unsigned(a->site->amounts.alloc_blocks,
                            b->site->amounts.alloc_blocks);
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
    return -compare_unsigned(a->site->place, b->site->place);
}

static const struct site_order orders[] = {
    { "live", by_live },     { "blocks", by_blocks },     { "total", by_total },
    { "calls", by_calls },   { "function", by_function }, { "file", by_file },
    { "module", by_module },
};

const struct site_order *site_order_find(const char *name)
{
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcmp(orders[i].name, name) == 0)
            return &orders[i];
    }
    return NULL;
}

bool site_order_needs_totals(const struct site_order *order)
{
    return order->compare == by_total || order->compare == by_calls;
}

static int compare_indices(const void *left, const void *right, void *argument)
{
    static compare_fn *const ties[] = { by_live, by_total, by_module,
                                        by_place };
    const struct sorting *sorting = argument;
    size_t a_index = *(const size_t *)left;
    size_t b_index = *(const size_t *)right;
    struct compared_site a = { &sorting->profile->sites[a_index],
                               &sorting->names->sites[a_index] };
    struct compared_site b = { &sorting->profile->sites[b_index],
                               &sorting->names->sites[b_index] };
    int order = sorting->order->compare(&a, &b);

    for (size_t i = 0; order == 0 && i < sizeof ties / sizeof ties[0]; i++)
        order = ties[i](&a, &b);
    return order;
}

void site_order_sort(const struct site_order *order,
                     const struct profile *profile,
                     const struct site_names *names, size_t *sites,
                     size_t count)
{
    struct sorting sorting = { order, profile, names };

    qsort_r(sites, count, sizeof *sites, compare_indices, &sorting);
}
