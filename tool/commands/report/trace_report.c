/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.c - tally report, of a trace, for people and for scripts
 */
#include "tool/commands/report/report_parts.h"

#include <math.h>

#include "tool/render/result.h"

enum { LINE_COLUMNS = 48, TEXT_SIZE = 64 };

/* In the smallest unit of time in which it is a byte at least. */
static char *trend_text(char out[TEXT_SIZE], const struct regions *regions,
                        const struct region *region)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        { "s", 1e9 }, { "min", 6e10 }, { "h", 3.6e12 }, { "day", 8.64e13 }
    };
    const char *name = "event";
    double change = fabs(region->slope);

    for (size_t i = 0; regions->has_times && i < sizeof units / sizeof *units;
         i++) {
        name = units[i].name;
        change = fabs(region->slope) * units[i].ns;
        if (change >= 1)
            break;
    }
    if (region->trend == REGION_STEADY)
        snprintf(out, TEXT_SIZE, "%s", region_trend_name(region->trend));
    else
        snprintf(out, TEXT_SIZE, "%c%s/%s",
                 region->trend == REGION_RISING ? '+' : '-',
                 NUMBER_BYTES(change < 1e18 ? (int64_t)ceil(change - 0.5)
                                            : INT64_MAX),
                 name);
    return out;
}

/* Return the share of `bytes` in the region in whole percent, rounded down. */
static struct figure percent(const struct region *region, uint64_t bytes)
{
    double share =
        region->size == 0 ? 0 : (double)bytes * 100 / (double)region->size;

    return (struct figure){ NULL, "%", .is_unknown = region->size == 0,
                            .number = (uint64_t)share };
}

static void put_region(struct table **table, struct json *json,
                       const struct regions *regions,
                       const struct region *region)
{
    char place[REGION_PLACE_SIZE], trend[TEXT_SIZE];
    const struct figure all[] = {
        { "region", "REGION", FIGURE_TEXT, .text = region_kind_name(region) },
        { "address", NULL, .number = region->address },
        { NULL, "ADDRESS", FIGURE_ADDRESS, .number = region->address },
        { "name", NULL, FIGURE_TEXT, .text = region->name },
        { "thread", NULL, .number = region->thread },
        { "size", "SIZE", .number = region->size },
        { "used", "USED", .number = region->used },
        percent(region, region->used),
        { "peak", "PEAK", .number = region->peak },
        percent(region, region->peak),
        { "peak_time_ns", NULL, .is_unknown = !regions->has_times,
          .number = region->peak_place },
        { NULL, "PEAK AT", FIGURE_TEXT_RIGHT,
          .text = region_place_text(place, regions, region->peak_place) },
        { "events", NULL, .number = region->events },
        { "trend", NULL, FIGURE_TEXT,
          .text = region_trend_name(region->trend) },
        { NULL, "TREND", FIGURE_TEXT_RIGHT,
          .text = trend_text(trend, regions, region) },
        { "bytes_per_second", NULL, FIGURE_FRACTION,
          .fraction = regions->has_times ? region->slope * 1e9 : NAN },
        { NULL, "NAME", FIGURE_TEXT, .text = region->name },
    };

    figures_put(table, json, all, sizeof all / sizeof all[0]);
}

/* Cells of the table of lines. */
static void put_line(struct table **table, const struct regions *regions,
                     const struct region *region)
{
    char line[REGION_LINE_SIZE];
    const struct figure all[] = {
        { NULL, "REGION", FIGURE_TEXT, .text = region_kind_name(region) },
        { NULL, "ADDRESS", FIGURE_ADDRESS, .number = region->address },
        { NULL, "FROM BEGIN TO END, 0 TO 100 %", FIGURE_TEXT,
          .text = region_line(line, region, regions, LINE_COLUMNS) },
        { NULL, "NAME", FIGURE_TEXT, .text = region->name },
    };

    figures_put(table, NULL, all, sizeof all / sizeof all[0]);
}

void trace_report_print_regions(const struct regions *regions,
                                enum terminal_color color)
{
    static const struct region none = { 0 };
    struct table *table = NULL, *lines = NULL;

    put_region(&table, NULL, regions, &none);
    table_clear(table);
    for (size_t i = 0; i < regions->count; i++)
        put_region(&table, NULL, regions, &regions->items[i]);
    table_show(table, color);
    /* One event each is no line. */
    if (regions->last <= regions->first || regions->events <= regions->count)
        return;
    putchar('\n');
    for (size_t i = 0; i < regions->count; i++)
        put_line(&lines, regions, &regions->items[i]);
    table_show(lines, color);
}

static void print_head(const struct report *report)
{
    const struct regions *regions = &report->sum->regions;

    escape_write(stdout, ESCAPE_TERMINAL, report->source, SIZE_MAX);
    printf(": %zu region%s, %s event%s", regions->count,
           number_plural(regions->count), NUMBER(regions->events),
           number_plural(regions->events));
    if (regions->has_times)
        printf(" from %.3f s to %.3f s", (double)regions->first / 1e9,
               (double)regions->last / 1e9);
    fputs("\n\n", stdout);
}

static void print_foot(const struct report *report)
{
    const struct trace_counts *counts = &report->sum->counts;
    char losses[TRACE_LOSSES_SIZE];

    if (counts->profiler_us != 0)
        printf("\nThe profiler took %s microseconds\n",
               NUMBER(counts->profiler_us));
    if (trace_losses(losses, counts)[0] != '\0')
        printf("\nAccuracy\n  %s\n", losses);
}

void trace_losses_write(struct json *json, const struct trace_counts *counts)
{
    static const char *const members[] = {
#define TRACE_LOSS_MEMBER(name, sentence) #name,
        TRACE_LOSS_LIST(TRACE_LOSS_MEMBER)
#undef TRACE_LOSS_MEMBER
    };

    json_unsigned(json, "skipped_bytes", counts->skipped.bytes);
    json_unsigned(json, "skipped_places", counts->skipped.places);
    for (size_t i = 0; i < TRACE_LOSS_COUNT; i++)
        json_unsigned(json, members[i], counts->losses[i]);
}

void trace_report_write_regions(struct json *json,
                                const struct regions *regions)
{
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < regions->count; i++) {
        json_begin(json, NULL, JSON_OBJECT);
        put_region(NULL, json, regions, &regions->items[i]);
        json_end(json);
    }
    json_end(json);
}

static void write_json(const struct report *report)
{
    const struct trace_counts *counts = &report->sum->counts;
    const struct regions *regions = &report->sum->regions;
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_begin(&json, "trace", JSON_OBJECT);
    json_string(&json, "source", report->source);
    json_unsigned(&json, "events", counts->events);
    json_number_or_null(&json, "first_time_ns", regions->has_times,
                        regions->first);
    json_number_or_null(&json, "last_time_ns", regions->has_times,
                        regions->last);
    json_unsigned(&json, "profiler_us", counts->profiler_us);
    json_end(&json);
    trace_report_write_regions(&json, regions);
    json_begin(&json, "lost", JSON_OBJECT);
    trace_losses_write(&json, counts);
    json_unsigned(&json, "events_of_more_regions", regions->left_out);
    json_end(&json);
    json_end(&json);
}

/* Write regions as results; a rising one is a finding. */
static void write_results(const struct report *report, unsigned form)
{
    const struct regions *regions = &report->sum->regions;
    struct result_list list = { .command = "report", .source = report->source };
    char trend[TEXT_SIZE];

    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->items[i];
        bool is_rising = region->trend == REGION_RISING;
        struct result result = {
            .state = is_rising ? RESULT_FOUND : RESULT_HELD,
            .rule = memory_text(is_rising ? "growth" : "used"),
            .message = memory_print("%s of %s bytes, peak %s, %s",
                                    NUMBER(region->used), NUMBER(region->size),
                                    NUMBER(region->peak),
                                    trend_text(trend, regions, region)),
        };

        result_add_region(&result, region);
        result_add(&list, &result);
    }
    result_forms[form].write(stdout, &list);
    result_list_free(&list);
}

void trace_report(const struct report *report, unsigned form, bool has_svg)
{
    if (has_svg || form != RESULT_TEXT)
        trace_tell_losses(report->source, &report->sum->counts);
    if (has_svg) {
        region_svg_write(stdout, &report->sum->regions, report->source);
    } else if (form == RESULT_JSON) {
        write_json(report);
    } else if (form != RESULT_TEXT) {
        write_results(report, form);
    } else {
        print_head(report);
        trace_report_print_regions(&report->sum->regions, report->color);
        print_foot(report);
    }
}
