/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_report_json.c - a report about a trace, for scripts
 *
 * Names are a contract: they may be added to, never changed.
 */
#include "tool/commands/report/trace_report.h"

#include <math.h>

#include "tool/render/json.h"

static void write_trace(struct json *json, const struct trace_report *report)
{
    const struct regions *regions = report->regions;

    json_begin_object(json, "trace");
    json_string(json, "source", report->source);
    json_unsigned(json, "events", report->counts.events);
    json_known(json, "first_time_ns", regions->has_times, regions->first);
    json_known(json, "last_time_ns", regions->has_times, regions->last);
    json_unsigned(json, "profiler_us", report->counts.profiler_us);
    json_end_object(json);
}

static void write_lost(struct json *json, const struct trace_report *report)
{
    json_begin_object(json, "lost");
    json_unsigned(json, "skipped_bytes", report->counts.skipped.bytes);
    json_unsigned(json, "skipped_places", report->counts.skipped.places);
    json_unsigned(json, "missing_packets", report->counts.lost_packets);
    json_unsigned(json, "cut_packets", report->counts.cut_packets);
    json_unsigned(json, "discarded_events", report->counts.discarded);
    json_unsigned(json, "events_of_more_regions", report->regions->left_out);
    json_end_object(json);
}

static void write_region(struct json *json, const struct regions *regions,
                         const struct region *region)
{
    json_begin_object(json, NULL);
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
    json_end_object(json);
}

void trace_report_write_regions(struct json *json,
                                const struct regions *regions)
{
    json_begin_array(json, "regions");
    for (size_t i = 0; i < regions->count; i++)
        write_region(json, regions, &regions->items[i]);
    json_end_array(json);
}

int trace_report_write_json(const struct trace_report *report)
{
    struct json json = { .out = stdout };

    json_begin_object(&json, NULL);
    write_trace(&json, report);
    trace_report_write_regions(&json, report->regions);
    write_lost(&json, report);
    json_end_object(&json);
    return 0;
}
