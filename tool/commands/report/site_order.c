/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_order.c - the orders in which sites may be shown
 *
 * Amounts come largest first, texts in alphabet with the unknown last. Ties are
 * broken by live bytes, total bytes, module and place, so that one ledger
 * always gives one report.
 */
#include "tool/commands/report/report_parts.h"

struct compared_site {
    const struct profile_amounts *amounts;
    const struct profile_site *site;
    const struct site_name *name;
};

/* context of qsort_r() */
struct sorting {
    unsigned order;
    const struct profile *profile;
    const struct site_names *names;
    bool has_stacks; /* rows are stacks */
};

#define ORDER_OLDER MEASURE_COUNT /* no measure of all profiles */

/* The largest first. */
static int by_measure(enum measure measure, const struct compared_site *a,
                      const struct compared_site *b)
{
    bool is_older = measure == ORDER_OLDER;
    int64_t left =
        is_older ? a->amounts->older_bytes : measure_of(a->amounts, measure);
    int64_t right =
        is_older ? b->amounts->older_bytes : measure_of(b->amounts, measure);

    return (left < right) - (left > right);
}

static const struct {
    const char *name;
    enum measure measure;
    bool is_of_text;
    size_t text; /* in struct site_name */
} orders[] = {
#define TEXT(member) \
    MEASURE_LIVE_BYTES, true, offsetof(struct site_name, member)
    { "live", MEASURE_LIVE_BYTES, false, 0 },
    { "blocks", MEASURE_LIVE_BLOCKS, false, 0 },
    { "total", MEASURE_TOTAL_BYTES, false, 0 },
    { "calls", MEASURE_TOTAL_BLOCKS, false, 0 },
    { "peak", MEASURE_PEAK_BYTES, false, 0 },
    { "temporary", MEASURE_TEMPORARY, false, 0 },
    { "reallocs", MEASURE_GROWN, false, 0 },
    { "older", ORDER_OLDER, false, 0 },
    { "resident", MEASURE_RESIDENT, false, 0 },
    { "function", TEXT(function) },
    { "file", TEXT(file) },
    { "module", TEXT(module) },
#undef TEXT
};

const struct word_list site_orders = WORDS(orders);

unsigned site_order_of(enum measure measure)
{
    unsigned order = 0;

    while (orders[order].measure != measure)
        order++;
    return order;
}

enum measure site_order_measure(unsigned order)
{
    return orders[order].measure == ORDER_OLDER ? MEASURE_LIVE_BYTES
                                                : orders[order].measure;
}

static int by_text(size_t text, const struct compared_site *a,
                   const struct compared_site *b)
{
    const char *left = *(const char *const *)((const char *)a->name + text);
    const char *right = *(const char *const *)((const char *)b->name + text);

    if (left == NULL || right == NULL)
        return (left == NULL) - (right == NULL);
    return strcmp(left, right);
}

static int compare(unsigned order, const struct compared_site *a,
                   const struct compared_site *b)
{
    int result = orders[order].is_of_text
                     ? by_text(orders[order].text, a, b)
                     : by_measure(orders[order].measure, a, b);

    if (result == 0 && orders[order].text == offsetof(struct site_name, file))
        result =
            (a->name->line > b->name->line) - (a->name->line < b->name->line);
    if (result == 0)
        result = by_measure(MEASURE_LIVE_BYTES, a, b);
    if (result == 0)
        result = by_measure(MEASURE_TOTAL_BYTES, a, b);
    if (result == 0)
        result = by_text(offsetof(struct site_name, module), a, b);
    return result != 0 ? result
                       : (a->site->place > b->site->place) -
                             (a->site->place < b->site->place);
}

static struct compared_site compared_at(const struct sorting *sorting,
                                        size_t index)
{
    const struct profile *profile = sorting->profile;
    const struct profile_stack *stack =
        sorting->has_stacks ? &profile->stacks.stacks[index] : NULL;
    size_t number = stack != NULL ? stack->site : index;
    const struct profile_site *site = &profile->callers[number];

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

void site_order_sort(unsigned order, const struct profile *profile,
                     const struct site_names *names, bool has_stacks,
                     size_t *rows, size_t count)
{
    struct sorting sorting = { order, profile, names, has_stacks };

    qsort_r(rows, count, sizeof *rows, compare_rows, &sorting);
}
