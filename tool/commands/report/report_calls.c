/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_calls.c - what a report says of a trace of calls besides its sites
 */
#include "tool/commands/report/report_parts.h"

#include "tool/commands/figures/site_figures.h"
#include "tool/render/result.h"

enum {
    LINE_COLUMNS = 72,
    FAILURE_ROWS = 10,
    TIME_SIZE = 64,
};

/* In a unit in which it has a digit before the point. */
static void put_time(char *out, size_t size, uint64_t ns)
{
    if (ns >= 1000000000)
        snprintf(out, size, "%.3f s", (double)ns / 1e9);
    else if (ns >= 1000000)
        snprintf(out, size, "%.3f ms", (double)ns / 1e6);
    else
        snprintf(out, size, "%.3f us", (double)ns / 1e3);
}

void report_calls_print_head(const struct report *report)
{
    const struct call_summary *calls = report->profile->calls;
    char time[TIME_SIZE];

    facet_print_safe(report->source);
    printf(": %s call%s of allocation functions", NUMBER(calls->events),
           number_plural(calls->events));
    if (calls->has_times) {
        put_time(time, sizeof time, calls->last - calls->first);
        printf(" in %s", time);
    }
    putchar('\n');
    site_figures_print_sampling(report->profile);
    putchar('\n');
}

/* Behind how much the peak was: when. */
static void print_peak_place(const struct call_summary *calls)
{
    char text[TIME_SIZE];

    if (calls->peak_bytes == 0)
        return;
    if (calls->has_times)
        put_time(text, sizeof text, calls->peak_place - calls->first);
    else
        snprintf(text, sizeof text, "call %s", NUMBER(calls->peak_place + 1));
    printf("  %-16s %18s\n", "peak at", text);
}

void report_calls_add_region(struct regions *regions,
                             const struct call_accounts *calls)
{
    struct region region = {
        .kind = ZPL_HEAP,
        .name = memory_text("as its calls tell"),
        .size = calls->sum.peak_bytes,
        .used = call_accounts_live_bytes(calls),
        .peak = calls->sum.peak_bytes,
        .peak_place = calls->peak_place,
        .events = calls->events,
        .points = memory_zeroed(calls->line.count, sizeof *region.points),
        .point_count = calls->line.count,
        .stride = calls->line.stride,
    };

    for (size_t i = 0; i < region.point_count; i++)
        region.points[i] = (struct region_point){
            .place = calls->line.points[i].place,
            .used = calls->line.points[i].live_bytes,
        };
    if (regions->count == 0) {
        regions->has_times = calls->has_times;
        regions->first = calls->first;
        regions->last = calls->last;
    }
    if (calls->first < regions->first)
        regions->first = calls->first;
    if (calls->last > regions->last)
        regions->last = calls->last;
    regions->events += calls->events;
    ARRAY_ADD(regions->items, regions->count, region);
}

static void print_line(const struct report *report)
{
    struct regions regions = { 0 };
    char line[REGION_LINE_SIZE];

    if (report->sum->calls.sum.peak_bytes == 0)
        return;
    report_calls_add_region(&regions, &report->sum->calls);
    report_print_heading(report, "Live bytes over time, from 0 to the peak");
    printf("  %s\n",
           region_line(line, &regions.items[0], &regions, LINE_COLUMNS));
    regions_close(&regions);
}

static void print_failures(const struct report *report)
{
    const struct call_summary *calls = report->profile->calls;
    const struct facet_subject subject = report_subject(report);
    size_t count = calls->failure_count;

    if (count == 0)
        return;
    report_print_heading(report, "Failed requests");
    for (size_t i = 0; i < count && i < FAILURE_ROWS; i++) {
        const struct call_failure *failure = &calls->failures[i];
        OWNED char *name = facet_call_name(&subject, failure->site, INT_MAX);

        facet_print_line(memory_print(
            "  %s of up to %s byte%s at %s", NUMBER(failure->count),
            NUMBER(failure->largest), number_plural(failure->largest), name));
    }
    if (count > FAILURE_ROWS)
        printf("  (%zu more callers)\n", count - FAILURE_ROWS);
}

void report_calls_print(const struct report *report)
{
    const struct regions *regions = &report->sum->regions;

    print_peak_place(report->profile->calls);
    print_line(report);
    print_failures(report);
    if (regions->count == 0)
        return;
    putchar('\n');
    trace_report_print_regions(regions, report->color);
}

void report_calls_write_lost(struct json *json, const struct report *report)
{
    const struct call_summary *calls = report->profile->calls;

    if (calls == NULL)
        return;
    trace_losses_write(json, &calls->counts);
    json_unsigned(json, "odd_sizes", calls->odd_sizes);
}

static void write_failure(struct json *json, const struct report *report,
                          const struct call_failure *failure)
{
    const struct site_name *name = &report->names->sites[failure->site];

    json_begin(json, NULL, JSON_OBJECT);
    json_unsigned(json, "count", failure->count);
    json_unsigned(json, "largest_bytes", failure->largest);
    result_write_name(json, name);
    json_string(json, "address",
                ADDRESS(report->profile->callers[failure->site].place));
    json_end(json);
}

void report_calls_write_json(struct json *json, const struct report *report)
{
    const struct call_summary *calls = report->profile->calls;
    bool has_times = calls->has_times;

    json_begin(json, "trace", JSON_OBJECT);
    json_string(json, "source", report->source);
    json_unsigned(json, "events", calls->events);
    if (calls->sample_interval > 1)
        json_unsigned(json, "sample_interval", calls->sample_interval);
    if (calls->earlier_boots > 0)
        json_unsigned(json, "earlier_boots", calls->earlier_boots);
    json_number_or_null(json, "first_time_ns", has_times, calls->first);
    json_number_or_null(json, "last_time_ns", has_times, calls->last);
    json_number_or_null(json, "peak_time_ns", has_times, calls->peak_place);
    json_number_or_null(json, "peak_event", !has_times, calls->peak_place);
    json_end(json);
    json_begin(json, "failures", JSON_ARRAY);
    for (size_t i = 0; i < calls->failure_count; i++)
        write_failure(json, report, &calls->failures[i]);
    json_end(json);
    trace_report_write_regions(json, &report->sum->regions);
}
