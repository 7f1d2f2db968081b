/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_sizes.c - how large the blocks were that the program asked for
 *
 * A class is what one more binary digit holds: 0 bytes, 1, 2 to 3, 4 to 7 and so
 * on. Classes without a block are left out.
 */
#include "tool/commands/report/report.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool/render/json.h"
#include "tool/text/number.h"

enum { BAR_WIDTH = 30 };

/* The smallest and the largest size of a class. */
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

static uint64_t sum(const struct profile *profile)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++)
        all += profile->sizes[i];
    return all;
}

static uint64_t highest(const struct profile *profile)
{
    uint64_t found = 1;

    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (profile->sizes[i] > found)
            found = profile->sizes[i];
    }
    return found;
}

/* "2,048 to 4,095". */
static void print_bounds(unsigned class)
{
    char from[NUMBER_SIZE], to[NUMBER_SIZE];

    number_unsigned(from, least(class));
    if (least(class) == most(class))
        printf("  %33s", from);
    else if (most(class) == UINT64_MAX)
        printf("  %24s and more", from);
    else
        printf("  %15s to %14s", from, number_unsigned(to, most(class)));
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

void report_write_sizes(const struct report *report)
{
    const struct profile *profile = report->profile;
    uint64_t all = sum(profile);
    char number[NUMBER_SIZE];

    report_print_heading(report, "Allocations by size in bytes");
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (profile->sizes[i] == 0)
            continue;
        print_bounds(i);
        printf(" %18s  %5.1f %%", number_unsigned(number, profile->sizes[i]),
               (double)profile->sizes[i] * 100 / (double)all);
        print_bar(profile->sizes[i], highest(profile));
    }
}

void report_write_sizes_json(struct json *json, const struct profile *profile)
{
    if (!profile->has_sizes) {
        json_null(json, "sizes");
        return;
    }
    json_begin_array(json, "sizes");
    for (unsigned i = 0; i < LEDGER_SIZE_CLASSES; i++) {
        if (profile->sizes[i] == 0)
            continue;
        json_begin_line_object(json, NULL);
        json_unsigned(json, "least_bytes", least(i));
        json_unsigned(json, "most_bytes", most(i));
        json_unsigned(json, "allocations", profile->sizes[i]);
        json_end_object(json);
    }
    json_end_array(json);
}
