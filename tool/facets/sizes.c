/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes.c - allocations by size, in powers of two: 0 bytes, 1, 2 to 3, 4 to 7
 *
 * Classes without a block are left out.
 */
#include "tool/facets/facet.h"

enum { BAR_WIDTH = 30 };

/* Return the smallest and the largest size of a class. */
static uint64_t least(unsigned class)
{
    return class == 0 ? 0 : UINT64_C(1) << (class - 1);
}

static uint64_t most(unsigned class)
{
    if (class == LEDGER_SIZE_CLASSES - 1)
        return UINT64_MAX;
    return class == 0 ? 0 : (UINT64_C(1) << class) - 1;
}

/* "2,048 to 4,095". */
static void print_bounds(unsigned class)
{
    const char *from = NUMBER(least(class));

    if (least(class) == most(class))
        printf("  %33s", from);
    else if (most(class) == UINT64_MAX)
        printf("  %24s or more", from);
    else
        printf("  %15s to %14s", from, NUMBER(most(class)));
}

static void print_bar(uint64_t count, uint64_t longest)
{
    double share = (double)count / (double)longest;
    unsigned length = (unsigned)(share * BAR_WIDTH + 0.5);

    fputs(length > 0 ? "  " : "", stdout);
    for (unsigned i = 0; i < length; i++)
        putchar('#');
    putchar('\n');
}

static void print_sizes(const struct facet_subject *subject)
{
    const uint64_t *sizes = subject->profile->sizes;
    uint64_t all = 0, highest = 1;

    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        all += sizes[i];
        highest = sizes[i] > highest ? sizes[i] : highest;
    }
    facet_print_heading(subject, "Allocations by size in bytes");
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (sizes[i] == 0)
            continue;
        print_bounds(i);
        printf(" %18s  %5.1f %%", NUMBER(sizes[i]),
               (double)sizes[i] * 100 / (double)all);
        print_bar(sizes[i], highest);
    }
}

static void write_sizes(const struct facet_subject *subject, struct json *json)
{
    const struct profile *profile = subject->profile;

    if (!profile->has_sizes) {
        json_null(json, "sizes");
        return;
    }
    json_begin(json, "sizes", JSON_ARRAY);
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (profile->sizes[i] == 0)
            continue;
        json_begin(json, NULL, JSON_LINE_OBJECT);
        json_unsigned(json, "least_bytes", least(i));
        json_unsigned(json, "most_bytes", most(i));
        json_unsigned(json, "allocations", profile->sizes[i]);
        json_end(json);
    }
    json_end(json);
}

const struct facet sizes_facet = {
    .request = FACET_SIZES,
    .print = print_sizes,
    .write = write_sizes,
};
