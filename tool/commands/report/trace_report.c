/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report.c - tally report, of a trace, for people and for scripts
 *
 * Names of JSON are a contract: they may be added to, never changed.
 */
#include "tool/commands/report/trace_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "tool/commands/options/complaint.h"
#include "tool/commands/trace/open_trace.h"
#include "tool/render/region_plot.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum { LINE_COLUMNS = 48 };

static const struct table_column columns[] = {
    { "REGION", TABLE_LEFT }, { "ADDRESS", TABLE_RIGHT },
    { "SIZE", TABLE_RIGHT },  { "USED", TABLE_RIGHT },
    { "%", TABLE_RIGHT },     { "PEAK", TABLE_RIGHT },
    { "%", TABLE_RIGHT },     { "PEAK AT", TABLE_RIGHT },
    { "TREND", TABLE_RIGHT }, { "NAME", TABLE_LEFT },
};

static const struct table_column line_columns[] = {
    { "REGION", TABLE_LEFT },
    { "ADDRESS", TABLE_RIGHT },
    { "FROM BEGIN TO END, 0 TO 100 %", TABLE_LEFT },
    { "NAME", TABLE_LEFT },
};

static void add_bytes(struct table *table, uint64_t bytes, uint64_t size)
{
    table_add(table, NUMBER(bytes));
    if (size == 0)
        table_add(table, "-");
    else
        table_add_format(table, "%.0f",
                         floor((double)bytes * 100 / (double)size));
}

static void add_place(struct table *table, const struct regions *regions,
                      region_place place)
{
    if (regions->has_times)
        table_add_format(table, "%.3f s", (double)place / 1e9);
    else
        table_add_format(table, "event %" PRIu64, place + 1);
}

/* In the smallest unit of time in which it is a byte at least. */
static void add_trend(struct table *table, const struct regions *regions,
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
    if (region->trend == REGION_STEADY) {
        table_add(table, region_trend_name(region->trend));
        return;
    }
    table_add_format(
        table, "%c%s/%s", region->trend == REGION_RISING ? '+' : '-',
        NUMBER_BYTES(change < 1e18 ? (int64_t)ceil(change - 0.5) : INT64_MAX),
        name);
}

static void add_name(struct table *table, const struct region *region)
{
    table_add(table, region->name == NULL ? "-" : region->name);
}

static int print_regions(const struct regions *regions,
                         enum terminal_color color)
{
    struct table *table =
        table_create(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->items[i];

        table_add(table, region_kind_name(region));
        table_add_format(table, "0x%" PRIx64, region->address);
        table_add(table, NUMBER(region->size));
        add_bytes(table, region->used, region->size);
        add_bytes(table, region->peak, region->size);
        add_place(table, regions, region->peak_place);
        add_trend(table, regions, region);
        add_name(table, region);
    }
    return table_show(table, color);
}

/* One event each is no line. */
static bool has_lines(const struct regions *regions)
{
    return regions->last > regions->first && regions->events > regions->count;
}

static int print_lines(const struct regions *regions, enum terminal_color color)
{
    struct table *table =
        table_create(line_columns, sizeof line_columns / sizeof *line_columns);

    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->items[i];
        char line[REGION_LINE_SIZE];

        table_add(table, region_kind_name(region));
        table_add_format(table, "0x%" PRIx64, region->address);
        table_add(table, region_line(line, region, regions, LINE_COLUMNS));
        add_name(table, region);
    }
    return table_show(table, color);
}

int trace_report_print_regions(const struct regions *regions,
                               enum terminal_color color)
{
    int error = print_regions(regions, color);

    if (error == 0 && has_lines(regions)) {
        fputc('\n', stdout);
        error = print_lines(regions, color);
    }
    return error;
}

static void print_head(const struct trace_report *report)
{
    const struct regions *regions = report->regions;

    escape_write(stdout, ESCAPE_TERMINAL, report->source, SIZE_MAX);
    printf(": %zu region%s, %s event%s", regions->count,
           number_plural(regions->count), NUMBER(regions->events),
           number_plural(regions->events));
    if (regions->has_times)
        printf(" from %.3f s to %.3f s", (double)regions->first / 1e9,
               (double)regions->last / 1e9);
    fputs("\n\n", stdout);
}

static void print_foot(const struct trace_report *report)
{
    const struct trace_counts *counts = &report->counts;
    char losses[TRACE_LOSSES_SIZE];

    if (counts->profiler_us != 0)
        printf("\nThe profiler took %s microseconds\n",
               NUMBER(counts->profiler_us));
    if (trace_losses(losses, counts)[0] != '\0')
        printf("\nLost or not seen\n  %s\n", losses);
}

static int write_text(const struct trace_report *report)
{
    int error;

    print_head(report);
    error = trace_report_print_regions(report->regions, report->color);
    print_foot(report);
    return error;
}

static void write_trace(struct json *json, const struct trace_report *report)
{
    const struct regions *regions = report->regions;

    json_begin(json, "trace", JSON_OBJECT);
    json_string(json, "source", report->source);
    json_unsigned(json, "events", report->counts.events);
    json_known(json, "first_time_ns", regions->has_times, regions->first);
    json_known(json, "last_time_ns", regions->has_times, regions->last);
    json_unsigned(json, "profiler_us", report->counts.profiler_us);
    json_end(json);
}

static void write_lost(struct json *json, const struct trace_report *report)
{
    json_begin(json, "lost", JSON_OBJECT);
    json_unsigned(json, "skipped_bytes", report->counts.skipped.bytes);
    json_unsigned(json, "skipped_places", report->counts.skipped.places);
    json_unsigned(json, "missing_packets", report->counts.lost_packets);
    json_unsigned(json, "cut_packets", report->counts.cut_packets);
    json_unsigned(json, "discarded_events", report->counts.discarded);
    json_unsigned(json, "events_of_more_regions", report->regions->left_out);
    json_end(json);
}

static void write_region(struct json *json, const struct regions *regions,
                         const struct region *region)
{
    json_begin(json, NULL, JSON_OBJECT);
    json_string(json, "region", region_kind_name(region));
    json_unsigned(json, "address", region->address);
    json_string(json, "name", region->name);
    json_unsigned(json, "thread", region->thread);
    json_unsigned(json, "size", region->size);
    json_unsigned(json, "used", region->used);
    json_unsigned(json, "peak", region->peak);
    json_known(json, "peak_time_ns", regions->has_times, region->peak_place);
    json_unsigned(json, "events", region->events);
    json_string(json, "trend", region_trend_name(region->trend));
    json_fraction(json, "bytes_per_second",
                  regions->has_times ? region->slope * 1e9 : NAN);
    json_end(json);
}

void trace_report_write_regions(struct json *json,
                                const struct regions *regions)
{
    json_begin(json, "regions", JSON_ARRAY);
    for (size_t i = 0; i < regions->count; i++)
        write_region(json, regions, &regions->items[i]);
    json_end(json);
}

static int write_json(const struct trace_report *report)
{
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    write_trace(&json, report);
    trace_report_write_regions(&json, report->regions);
    write_lost(&json, report);
    json_end(&json);
    return 0;
}

int trace_report(struct trace_report *report, const struct trace_sum *sum)
{
    if (report->foreign_option != NULL)
        return trace_refuse_option(report->foreign_option);
    report->regions = &sum->regions;
    report->counts = sum->counts;
    if (report->has_svg || report->has_json)
        trace_tell_losses(report->source, &report->counts);
    if ((report->has_svg
             ? region_svg_write(stdout, report->regions, report->source)
         : report->has_json ? write_json(report)
                            : write_text(report)) < 0)
        return complain_of_memory("report");
    return COMMAND_DONE;
}
