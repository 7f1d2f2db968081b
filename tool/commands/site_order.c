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
    const struct profile_amounts *amounts;
    const struct profile_site *site;
    const struct site_name *name;
};

typedef int compare_fn(const struct compared_site *a,
                       const struct compared_site *b);

struct site_order {
    const char *name;
    compare_fn *compare;
    enum measure measure;
};

/* What qsort_r() passes on. */
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
    return compare_signed(a->amounts->live_bytes, b->amounts->live_bytes);
}

static int by_blocks(const struct compared_site *a,
                     const struct compared_site *b)
{
    return compare_signed(a->amounts->live_blocks, b->amounts->live_blocks);
}

static int by_total(const struct compared_site *a,
                    const struct compared_site *b)
{
    return compare_unsigned(a->amounts->alloc_bytes, b->amounts->alloc_bytes);
}

static int by_calls(const struct compared_site *a,
                    const struct compared_site *b)
{
    return compare_unsigned(a->amounts->alloc_blocks, b->amounts->alloc_blocks);
}

static int by_peak(const struct compared_site *a, const struct compared_site *b)
{
    return compare_unsigned(a->amounts->peak_bytes, b->amounts->peak_bytes);
}

static int by_temporary(const struct compared_site *a,
                        const struct compared_site *b)
{
    return compare_unsigned(a->amounts->temporary_blocks,
                            b->amounts->temporary_blocks);
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
    { "live", by_live, MEASURE_LIVE_BYTES },
    { "blocks", by_blocks, MEASURE_LIVE_BLOCKS },
    { "total", by_total, MEASURE_TOTAL_BYTES },
    { "calls", by_calls, MEASURE_TOTAL_BLOCKS },
    { "peak", by_peak, MEASURE_PEAK_BYTES },
    { "temporary", by_temporary, MEASURE_TEMPORARY },
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
    static compare_fn *const ties[] = { by_live, by_total, by_module,
                                        by_place };
    int result = order->compare(a, b);

    for (size_t i = 0; result == 0 && i < sizeof ties / sizeof ties[0]; i++)
        result = ties[i](a, b);
    return result;
}

static struct compared_site site_at(const struct sorting *sorting, size_t index)
{
    const struct profile_site *site = &sorting->profile->sites[index];

    return (struct compared_site){ &site->amounts, site,
                                   &sorting->names->sites[index] };
}

static int compare_sites(const void *left, const void *right, void *argument)
{
    const struct sorting *sorting = argument;
    struct compared_site a = site_at(sorting, *(const size_t *)left);
    struct compared_site b = site_at(sorting, *(const size_t *)right);

    return compare(sorting->order, &a, &b);
}

static int compare_stacks(const void *left, const void *right, void *argument)
{
    const struct sorting *sorting = argument;
    const struct profile_stack *stacks = sorting->profile->stacks.stacks;
    size_t a_index = *(const size_t *)left;
    size_t b_index = *(const size_t *)right;
    struct compared_site a = site_at(sorting, stacks[a_index].site);
    struct compared_site b = site_at(sorting, stacks[b_index].site);
    int result;

    a.amounts = &stacks[a_index].amounts;
    b.amounts = &stacks[b_index].amounts;
    result = compare(sorting->order, &a, &b);
    return result != 0 ? result : (a_index > b_index) - (a_index < b_index);
}

void site_order_sort(const struct site_order *order,
                     const struct profile *profile,
                     const struct site_names *names, size_t *sites,
                     size_t count)
{
    struct sorting sorting = { order, profile, names };

    qsort_r(sites, count, sizeof *sites, compare_sites, &sorting);
}

void site_order_sort_stacks(const struct site_order *order,
                            const struct profile *profile,
                            const struct site_names *names, size_t *stacks,
                            size_t count)
{
    struct sorting sorting = { order, profile, names };

    qsort_r(stacks, count, sizeof *stacks, compare_stacks, &sorting);
}
