/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report_text.c - a report about a trace, for people
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/commands/report/trace_report.h"
#include "tool/commands/trace/trace_losses.h"
#include "tool/render/region_line.h"
#include "tool/render/table.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

enum {
    LINE_COLUMNS = 48,
    CELL_SIZE = 64,
};

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

static void add_address(struct table *table, uint64_t address)
{
    char text[CELL_SIZE];

    snprintf(text, sizeof text, "0x%" PRIx64, address);
    table_add(table, text);
}

static void add_bytes(struct table *table, uint64_t bytes, uint64_t size)
{
    char text[CELL_SIZE];

    table_add(table, number_unsigned(text, bytes));
    if (size == 0)
        table_add(table, "-");
    else if (snprintf(text, sizeof text, "%.0f",
                      floor((double)bytes * 100 / (double)size)) > 0)
        table_add(table, text);
}

static void add_place(struct table *table, const struct regions *regions,
                      region_place place)
{
    char text[CELL_SIZE];

    if (regions->has_times)
        snprintf(text, sizeof text, "%.3f s", (double)place / 1e9);
    else
        snprintf(text, sizeof text, "event %" PRIu64, place + 1);
    table_add(table, text);
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
    char text[CELL_SIZE], bytes[NUMBER_SIZE];
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
    snprintf(text, sizeof text, "%c%s/%s",
             region->trend == REGION_RISING ? '+' : '-',
             number_bytes(bytes, change < 1e18 ? (int64_t)ceil(change - 0.5)
                                               : INT64_MAX),
             name);
    table_add(table, text);
}

static void add_name(struct table *table, const struct region *region)
{
    table_add(table, region->name == NULL ? "-" : region->name);
}

static int print_table(struct table *table, const struct trace_report *report)
{
    int error = table == NULL
                    ? -1
                    : table_print(table, stdout, terminal_width(stdout),
                                  terminal_has_color(report->color, stdout)
                                      ? TABLE_COLORED
                                      : TABLE_PLAIN);

    table_destroy(table);
    return error;
}

static int print_regions(const struct trace_report *report)
{
    const struct regions *regions = report->regions;
    struct table *table =
        table_create(columns, sizeof columns / sizeof columns[0]);

    for (size_t i = 0; table != NULL && i < regions->count; i++) {
        const struct region *region = &regions->items[i];
        char number[NUMBER_SIZE];

        table_add(table, region_kind_name(region));
        add_address(table, region->address);
        table_add(table, number_unsigned(number, region->size));
        add_bytes(table, region->used, region->size);
        add_bytes(table, region->peak, region->size);
        add_place(table, regions, region->peak_place);
        add_trend(table, regions, region);
        add_name(table, region);
    }
    return print_table(table, report);
}

/* One event each is no line. */
static bool has_lines(const struct regions *regions)
{
    return regions->last > regions->first && regions->events > regions->count;
}

static int print_lines(const struct trace_report *report)
{
    const struct regions *regions = report->regions;
    struct table *table =
        table_create(line_columns, sizeof line_columns / sizeof *line_columns);

    for (size_t i = 0; table != NULL && i < regions->count; i++) {
        const struct region *region = &regions->items[i];
        char line[REGION_LINE_SIZE];

        table_add(table, region_kind_name(region));
        add_address(table, region->address);
        table_add(table, region_line(line, region, regions, LINE_COLUMNS));
        add_name(table, region);
    }
    return print_table(table, report);
}

static void print_head(const struct trace_report *report)
{
    const struct regions *regions = report->regions;
    char number[NUMBER_SIZE];

    escape_write(stdout, ESCAPE_TERMINAL, report->source, SIZE_MAX);
    printf(": %zu region%s, %s event%s", regions->count,
           number_plural(regions->count),
           number_unsigned(number, regions->events),
           number_plural(regions->events));
    if (regions->has_times)
        printf(" from %.3f s to %.3f s", (double)regions->first / 1e9,
               (double)regions->last / 1e9);
    fputs("\n\n", stdout);
}

static void print_foot(const struct trace_report *report)
{
    const struct trace_counts *counts = &report->counts;
    char number[NUMBER_SIZE], losses[TRACE_LOSSES_SIZE];

    if (counts->profiler_us != 0)
        printf("\nThe profiler took %s microseconds\n",
               number_unsigned(number, counts->profiler_us));
    if (trace_losses(losses, counts)[0] != '\0')
        printf("\nLost or not seen\n  %s\n", losses);
}

int trace_report_print_regions(const struct trace_report *report)
{
    int error = print_regions(report);

    if (error == 0 && has_lines(report->regions)) {
        fputc('\n', stdout);
        error = print_lines(report);
    }
    return error;
}

int trace_report_write_text(const struct trace_report *report)
{
    int error;

    print_head(report);
    error = trace_report_print_regions(report);
    print_foot(report);
    return error;
}
