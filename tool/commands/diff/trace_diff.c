/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff.c - tally diff of two traces of regions
 *
 * Text leaves out regions that did not change.
 */
#include "tool/commands/diff/diff_parts.h"

#include <math.h>

#include "tool/render/result.h"
#include "tool/web/page.h"

struct trace_diff {
    const struct diff *asked; /* options, title, colours */
    const struct region_comparison *comparison;
    size_t counts[2]; /* of regions */
};

/* Write a region; null if its side lacks it. */
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

/* Add a row to the table, or members to a JSON object. */
static void put_pair(struct table **table, struct json *json,
                     const struct region_pair *pair)
{
    static const struct region none;
    const struct region *before = pair->before, *after = pair->after;
    const struct region *region = after != NULL ? after : before;
    const struct region *was = before != NULL ? before : &none;
    const struct region *is = after != NULL ? after : &none;
    const char *state = before == NULL ? "new" : after == NULL ? "gone" : NULL;
    const struct figure growth[] = {
        { "used_growth", "USED GROWTH", FIGURE_GROWTH,
          .number = (uint64_t)pair->growth.used },
        { "peak_growth", "PEAK GROWTH", FIGURE_GROWTH,
          .number = (uint64_t)pair->growth.peak },
    };
    const struct figure names[] = {
        { "region", "REGION", FIGURE_TEXT, .text = region_kind_name(region) },
        { NULL, "ADDRESS", FIGURE_ADDRESS, .number = region->address },
        { "name", "NAME", FIGURE_TEXT, .text = region->name },
    };
    const struct figure row[] = {
        growth[0],
        growth[1],
        { NULL, "USED BEFORE", .is_unknown = before == NULL,
          .number = was->used },
        { NULL, "AFTER", .is_unknown = after == NULL, .number = is->used },
        { NULL, "PEAK BEFORE", .is_unknown = before == NULL,
          .number = was->peak },
        { NULL, "AFTER", .is_unknown = after == NULL, .number = is->peak },
        names[0],
        names[1],
        names[2],
        { NULL, "NOTE", FIGURE_TEXT, .text = state },
    };

    figures_put(table, NULL, row, sizeof row / sizeof row[0]);
    if (json == NULL)
        return;
    figures_put(NULL, json, names, 3);
    write_region(json, "before", before);
    write_region(json, "after", after);
    figures_put(NULL, json, growth, 2);
    json_string(json, "state", state == NULL ? "both" : state);
}

static void print_rows(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;
    struct table *table = NULL;

    for (size_t i = 0; i < comparison->count; i++) {
        const struct region_pair *pair = &comparison->pairs[i];

        if (pair->growth.used != 0 || pair->growth.peak != 0 ||
            pair->before == NULL || pair->after == NULL)
            put_pair(&table, NULL, pair);
    }
    if (table != NULL)
        table_show(table, diff->asked->color);
    else
        puts("no region changed");
}

static void print_side(const char *title, const struct trace_diff *diff,
                       unsigned side)
{
    const struct region_amounts *amounts =
        side == 0 ? &diff->comparison->before : &diff->comparison->after;

    printf("%s  %s bytes used, peaks %s, in %zu region%s: ", title,
           NUMBER_SIGNED(amounts->used), NUMBER_SIGNED(amounts->peak),
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

static void write_text(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;

    print_side("before", diff, 0);
    print_side("after ", diff, 1);
    printf("growth  %s bytes used", NUMBER_GROWTH(comparison->growth.used));
    print_percent(comparison->before.used, comparison->growth.used);
    printf(", peaks %s", NUMBER_GROWTH(comparison->growth.peak));
    print_percent(comparison->before.peak, comparison->growth.peak);
    fputs("\n\n", stdout);
    print_rows(diff);
    if (diff->asked->is_lossy)
        puts("\nA trace lacks data; see tally report");
    if (diff->asked->is_exceeded)
        printf("\nGrowth exceeds %g %%\n", diff->asked->bound);
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

static void write_json(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    write_side(&json, "before", diff, 0);
    write_side(&json, "after", diff, 1);
    write_growth(&json, diff);
    json_bool(&json, "lossy", diff->asked->is_lossy);
    json_begin(&json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < comparison->count; i++) {
        json_begin(&json, NULL, JSON_OBJECT);
        put_pair(NULL, &json, &comparison->pairs[i]);
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static bool is_over(const struct diff *diff, int64_t before, int64_t growth)
{
    return diff->has_bound && comparison_percent(before, growth) > diff->bound;
}

/* Add the growth of a region, or of all if it is NULL. */
static void add_result(struct result_list *list, const struct diff *diff,
                       const struct region *region, const char *what,
                       int64_t before, int64_t growth)
{
    struct result result = {
        .state = region != NULL                  ? RESULT_CHANGED
                 : is_over(diff, before, growth) ? RESULT_BROKEN
                                                 : RESULT_KEPT,
        .rule =
            region == NULL && diff->has_bound
                ? memory_print("%s grows by at most %g %%", what, diff->bound)
                : memory_print("growth of %s", what),
        .message = memory_print("%s %s bytes: %s before, %s after", what,
                                NUMBER_GROWTH(growth), NUMBER_SIGNED(before),
                                NUMBER_SIGNED(before + growth)),
    };

    if (region != NULL)
        result_add_region(&result, region);
    result_add(list, &result);
}

static void write_results(const struct trace_diff *diff)
{
    const struct region_comparison *all = diff->comparison;
    struct result_list list = { .command = "diff",
                                .source = diff->asked->names[1] };

    add_result(&list, diff->asked, NULL, "used", all->before.used,
               all->growth.used);
    add_result(&list, diff->asked, NULL, "peak", all->before.peak,
               all->growth.peak);
    for (size_t i = 0; i < all->count; i++) {
        const struct region_pair *pair = &all->pairs[i];
        const struct region *was = pair->before, *is = pair->after;

        if (pair->growth.used != 0)
            add_result(&list, diff->asked, is != NULL ? is : was, "used",
                       was == NULL ? 0 : (int64_t)was->used, pair->growth.used);
        if (pair->growth.peak != 0)
            add_result(&list, diff->asked, is != NULL ? is : was, "peak",
                       was == NULL ? 0 : (int64_t)was->peak, pair->growth.peak);
    }
    result_forms[diff->asked->form].write(stdout, &list);
    result_list_free(&list);
}

int trace_diff(struct diff *diff, const char *foreign_option,
               const struct trace_sum sums[2])
{
    struct region_comparison comparison;
    const struct trace_diff regions = {
        diff, &comparison, { sums[0].regions.count, sums[1].regions.count }
    };

    if (foreign_option != NULL)
        return trace_refuse_option(foreign_option);
    for (unsigned i = 0; i < 2; i++) {
        const struct trace_counts *counts = &sums[i].counts;

        trace_tell_losses(diff->names[i], counts);
        diff->is_lossy = diff->is_lossy || trace_counts_are_lossy(counts) ||
                         sums[i].regions.left_out != 0;
    }
    region_comparison_open(&comparison, &sums[0].regions, &sums[1].regions);
    diff->is_exceeded =
        is_over(diff, comparison.before.used, comparison.growth.used) ||
        is_over(diff, comparison.before.peak, comparison.growth.peak);
    if (diff->has_html)
        page_write(stdout, &(struct page_subject){
                               .title = diff->names[1],
                               .before = diff->names[0],
                               .after = diff->names[1],
                               .regions = &sums[1].regions,
                               .regions_before = &sums[0].regions,
                               .region_comparison = &comparison,
                               .is_lossy = diff->is_lossy,
                           });
    else if (diff->form == RESULT_JSON)
        write_json(&regions);
    else if (diff->form != RESULT_TEXT)
        write_results(&regions);
    else
        write_text(&regions);
    region_comparison_close(&comparison);
    return diff->is_exceeded ? COMMAND_NO : COMMAND_DONE;
}
