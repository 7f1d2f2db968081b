/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff_text.c - two traces compared, for people
 *
 * Regions that did not change have no row.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/diff/trace_diff.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

static const struct table_column columns[] = {
    { "USED GROWTH", TABLE_RIGHT }, { "PEAK GROWTH", TABLE_RIGHT },
    { "USED BEFORE", TABLE_RIGHT }, { "AFTER", TABLE_RIGHT },
    { "PEAK BEFORE", TABLE_RIGHT }, { "AFTER", TABLE_RIGHT },
    { "REGION", TABLE_LEFT },       { "ADDRESS", TABLE_RIGHT },
    { "NAME", TABLE_LEFT },         { "NOTE", TABLE_LEFT },
};

/* A number that grew has its sign. */
static char *with_sign(char out[NUMBER_SIZE + 1], int64_t value)
{
    out[0] = '+';
    number_signed(value > 0 ? out + 1 : out, value);
    return out;
}

static void add_value(struct table *table, const struct region *region,
                      uint64_t value)
{
    char number[NUMBER_SIZE];

    table_add(table, region == NULL ? "-" : number_unsigned(number, value));
}

static void add_pair(struct table *table, const struct region_pair *pair)
{
    const struct region *before = pair->before, *after = pair->after;
    const struct region *region = after != NULL ? after : before;
    char number[NUMBER_SIZE + 1];

    table_add(table, with_sign(number, pair->growth.used));
    table_add(table, with_sign(number, pair->growth.peak));
    add_value(table, before, before == NULL ? 0 : before->used);
    add_value(table, after, after == NULL ? 0 : after->used);
    add_value(table, before, before == NULL ? 0 : before->peak);
    add_value(table, after, after == NULL ? 0 : after->peak);
    table_add(table, region_kind_name(region));
    snprintf(number, sizeof number, "0x%" PRIx64, region->address);
    table_add(table, number);
    table_add(table, region->name == NULL ? "-" : region->name);
    table_add(table, before == NULL ? "new" : after == NULL ? "gone" : "-");
}

static bool has_changed(const struct region_pair *pair)
{
    return pair->growth.used != 0 || pair->growth.peak != 0 ||
           pair->before == NULL || pair->after == NULL;
}

static int print_rows(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;
    struct table *table =
        table_create(columns, sizeof columns / sizeof columns[0]);
    size_t changed = 0;
    int error;

    if (table == NULL)
        return -1;
    for (size_t i = 0; i < comparison->count; i++) {
        if (!has_changed(&comparison->pairs[i]))
            continue;
        add_pair(table, &comparison->pairs[i]);
        changed++;
    }
    if (changed == 0) {
        table_destroy(table);
        puts("no region has changed");
        return 0;
    }
    error = table_print(table, stdout, terminal_width(stdout),
                        terminal_has_color(diff->color, stdout) ? TABLE_COLORED
                                                                : TABLE_PLAIN);
    table_destroy(table);
    return error;
}

static void print_side(const char *title, const struct trace_diff *diff,
                       unsigned side)
{
    const struct region_amounts *amounts =
        side == 0 ? &diff->comparison->before : &diff->comparison->after;
    char used[NUMBER_SIZE], peak[NUMBER_SIZE];

    printf("%s  %s bytes used, peaks %s, in %zu region%s: ", title,
           number_signed(used, amounts->used),
           number_signed(peak, amounts->peak), diff->counts[side],
           number_plural(diff->counts[side]));
    escape_write(stdout, ESCAPE_TERMINAL, diff->names[side], SIZE_MAX);
    putchar('\n');
}

static void print_percent(int64_t before, int64_t growth)
{
    double percent = region_growth_percent(before, growth);

    if (isfinite(percent))
        printf(" (%+.1f %%)", percent);
    else
        fputs(" (from nothing)", stdout);
}

static void print_growth(const struct region_comparison *comparison)
{
    char number[NUMBER_SIZE + 1];

    printf("growth  %s bytes used", with_sign(number, comparison->growth.used));
    print_percent(comparison->before.used, comparison->growth.used);
    printf(", peaks %s", with_sign(number, comparison->growth.peak));
    print_percent(comparison->before.peak, comparison->growth.peak);
    fputs("\n\n", stdout);
}

int trace_diff_write_text(const struct trace_diff *diff)
{
    print_side("before", diff, 0);
    print_side("after ", diff, 1);
    print_growth(diff->comparison);
    if (print_rows(diff) < 0)
        return -1;
    if (diff->is_lossy)
        puts("\nA part of a trace is missing; tally report tells more");
    if (diff->is_exceeded)
        printf("\nGrowth is more than %g %%\n", diff->bound);
    return 0;
}
