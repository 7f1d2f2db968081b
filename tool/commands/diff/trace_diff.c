/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff.c - tally diff, of two traces, for people and for scripts
 *
 * For people regions that did not change have no row. Names of JSON are a
 * contract: they may be added to, never changed.
 */
#include "tool/commands/diff/trace_diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/open_trace.h"
#include "tool/model/compare/comparison.h"
#include "tool/model/compare/region_comparison.h"
#include "tool/render/json.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

struct trace_diff {
    const struct diff *asked; /* options, title, colours */
    const struct region_comparison *comparison;
    size_t counts[2]; /* of regions */
};

static const struct table_column columns[] = {
    { "USED GROWTH", TABLE_RIGHT }, { "PEAK GROWTH", TABLE_RIGHT },
    { "USED BEFORE", TABLE_RIGHT }, { "AFTER", TABLE_RIGHT },
    { "PEAK BEFORE", TABLE_RIGHT }, { "AFTER", TABLE_RIGHT },
    { "REGION", TABLE_LEFT },       { "ADDRESS", TABLE_RIGHT },
    { "NAME", TABLE_LEFT },         { "NOTE", TABLE_LEFT },
};

static void add_value(struct table *table, const struct region *region,
                      uint64_t value)
{
    table_add(table, region == NULL ? "-" : NUMBER(value));
}

static void add_pair(struct table *table, const struct region_pair *pair)
{
    const struct region *before = pair->before, *after = pair->after;
    const struct region *region = after != NULL ? after : before;
    char number[NUMBER_SIZE + 1];

    table_add(table, number_growth(number, pair->growth.used));
    table_add(table, number_growth(number, pair->growth.peak));
    add_value(table, before, before == NULL ? 0 : before->used);
    add_value(table, after, after == NULL ? 0 : after->used);
    add_value(table, before, before == NULL ? 0 : before->peak);
    add_value(table, after, after == NULL ? 0 : after->peak);
    table_add(table, region_kind_name(region));
    table_add_format(table, "0x%" PRIx64, region->address);
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
    return table_show(table, diff->asked->color);
}

static void print_side(const char *title, const struct trace_diff *diff,
                       unsigned side)
{
    const struct region_amounts *amounts =
        side == 0 ? &diff->comparison->before : &diff->comparison->after;
    char used[NUMBER_SIZE];

    printf("%s  %s bytes used, peaks %s, in %zu region%s: ", title,
           number_signed(used, amounts->used), NUMBER_SIGNED(amounts->peak),
           diff->counts[side], number_plural(diff->counts[side]));
    escape_write(stdout, ESCAPE_TERMINAL, diff->asked->names[side], SIZE_MAX);
    putchar('\n');
}

static void print_percent(int64_t before, int64_t growth)
{
    double percent = comparison_percent(before, growth);

    if (isfinite(percent))
        printf(" (%+.1f %%)", percent);
    else
        fputs(" (from nothing)", stdout);
}

static void print_growth(const struct region_comparison *comparison)
{
    char number[NUMBER_SIZE + 1];

    printf("growth  %s bytes used",
           number_growth(number, comparison->growth.used));
    print_percent(comparison->before.used, comparison->growth.used);
    printf(", peaks %s", number_growth(number, comparison->growth.peak));
    print_percent(comparison->before.peak, comparison->growth.peak);
    fputs("\n\n", stdout);
}

static int write_text(const struct trace_diff *diff)
{
    print_side("before", diff, 0);
    print_side("after ", diff, 1);
    print_growth(diff->comparison);
    if (print_rows(diff) < 0)
        return -1;
    if (diff->asked->is_lossy)
        puts("\nA part of a trace is missing; tally report tells more");
    if (diff->asked->is_exceeded)
        printf("\nGrowth is more than %g %%\n", diff->asked->bound);
    return 0;
}

static void write_side(struct json *json, const char *key,
                       const struct trace_diff *diff, unsigned side)
{
    const struct region_amounts *amounts =
        side == 0 ? &diff->comparison->before : &diff->comparison->after;

    json_begin(json, key, JSON_OBJECT);
    json_string(json, "source", diff->asked->names[side]);
    json_signed(json, "used", amounts->used);
    json_signed(json, "peak", amounts->peak);
    json_unsigned(json, "regions", diff->counts[side]);
    json_end(json);
}

static void write_growth(struct json *json, const struct trace_diff *diff)
{
    const struct region_amounts *before = &diff->comparison->before;
    const struct region_amounts *growth = &diff->comparison->growth;

    json_begin(json, "growth", JSON_OBJECT);
    json_signed(json, "used", growth->used);
    json_fraction(json, "used_percent",
                  comparison_percent(before->used, growth->used));
    json_signed(json, "peak", growth->peak);
    json_fraction(json, "peak_percent",
                  comparison_percent(before->peak, growth->peak));
    json_fraction(json, "bound_percent",
                  diff->asked->has_bound ? diff->asked->bound : NAN);
    json_bool(json, "exceeded", diff->asked->is_exceeded);
    json_end(json);
}

/* Of a side that has no such region: null. */
static void write_region(struct json *json, const char *key,
                         const struct region *region)
{
    if (region == NULL) {
        json_null(json, key);
        return;
    }
    json_begin(json, key, JSON_OBJECT);
    json_unsigned(json, "address", region->address);
    json_unsigned(json, "size", region->size);
    json_unsigned(json, "used", region->used);
    json_unsigned(json, "peak", region->peak);
    json_end(json);
}

static void write_pair(struct json *json, const struct region_pair *pair)
{
    const struct region *region =
        pair->after != NULL ? pair->after : pair->before;

    json_begin(json, NULL, JSON_OBJECT);
    json_string(json, "region", region_kind_name(region));
    json_string(json, "name", region->name);
    write_region(json, "before", pair->before);
    write_region(json, "after", pair->after);
    json_signed(json, "used_growth", pair->growth.used);
    json_signed(json, "peak_growth", pair->growth.peak);
    json_string(json, "state",
                pair->before == NULL  ? "new"
                : pair->after == NULL ? "gone"
                                      : "both");
    json_end(json);
}

static int write_json(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    write_side(&json, "before", diff, 0);
    write_side(&json, "after", diff, 1);
    write_growth(&json, diff);
    json_bool(&json, "lossy", diff->asked->is_lossy);
    json_begin(&json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < comparison->count; i++)
        write_pair(&json, &comparison->pairs[i]);
    json_end(&json);
    json_end(&json);
    return 0;
}

static bool is_exceeded(const struct diff *diff,
                        const struct region_comparison *comparison)
{
    return diff->has_bound &&
           (comparison_percent(comparison->before.used,
                               comparison->growth.used) > diff->bound ||
            comparison_percent(comparison->before.peak,
                               comparison->growth.peak) > diff->bound);
}

int trace_diff(struct diff *diff, const char *foreign_option,
               const struct trace_sum sums[2])
{
    struct region_comparison comparison;
    const struct trace_diff regions = {
        diff, &comparison, { sums[0].regions.count, sums[1].regions.count }
    };
    int error;

    if (foreign_option != NULL)
        return trace_refuse_option(foreign_option);
    for (unsigned i = 0; i < 2; i++) {
        const struct trace_counts *counts = &sums[i].counts;

        trace_tell_losses(diff->names[i], counts);
        diff->is_lossy = diff->is_lossy || counts->skipped.bytes != 0 ||
                         counts->lost_packets != 0 ||
                         counts->cut_packets != 0 || counts->discarded != 0 ||
                         sums[i].regions.left_out != 0;
    }
    error =
        region_comparison_open(&comparison, &sums[0].regions, &sums[1].regions);
    if (error == 0) {
        diff->is_exceeded = is_exceeded(diff, &comparison);
        error = diff->has_json ? write_json(&regions) : write_text(&regions);
    }
    region_comparison_close(&comparison);
    if (error < 0)
        return complain_of_memory("diff");
    return diff->is_exceeded ? COMMAND_NO : COMMAND_DONE;
}
