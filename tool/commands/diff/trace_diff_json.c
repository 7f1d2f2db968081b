/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_diff_json.c - two traces compared, for scripts
 *
 * Names are a contract: they may be added to, never changed. Regions that did
 * not change have a row, too.
 */
#include <math.h>

#include "tool/commands/diff/trace_diff.h"
#include "tool/render/json.h"

static void write_side(struct json *json, const char *key,
                       const struct trace_diff *diff, unsigned side)
{
    const struct region_amounts *amounts =
        side == 0 ? &diff->comparison->before : &diff->comparison->after;

    json_begin_object(json, key);
    json_string(json, "source", diff->names[side]);
    json_signed(json, "used", amounts->used);
    json_signed(json, "peak", amounts->peak);
    json_unsigned(json, "regions", diff->counts[side]);
    json_end_object(json);
}

static void write_growth(struct json *json, const struct trace_diff *diff)
{
    const struct region_amounts *before = &diff->comparison->before;
    const struct region_amounts *growth = &diff->comparison->growth;

    json_begin_object(json, "growth");
    json_signed(json, "used", growth->used);
    json_fraction(json, "used_percent",
                  region_growth_percent(before->used, growth->used));
    json_signed(json, "peak", growth->peak);
    json_fraction(json, "peak_percent",
                  region_growth_percent(before->peak, growth->peak));
    json_fraction(json, "bound_percent", diff->has_bound ? diff->bound : NAN);
    json_bool(json, "exceeded", diff->is_exceeded);
    json_end_object(json);
}

/* Of a side that has no such region: null. */
static void write_region(struct json *json, const char *key,
                         const struct region *region)
{
    if (region == NULL) {
        json_null(json, key);
        return;
    }
    json_begin_object(json, key);
    json_unsigned(json, "address", region->address);
    json_unsigned(json, "size", region->size);
    json_unsigned(json, "used", region->used);
    json_unsigned(json, "peak", region->peak);
    json_end_object(json);
}

static void write_pair(struct json *json, const struct region_pair *pair)
{
    const struct region *region =
        pair->after != NULL ? pair->after : pair->before;

    json_begin_object(json, NULL);
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
    json_end_object(json);
}

int trace_diff_write_json(const struct trace_diff *diff)
{
    const struct region_comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin_object(&json, NULL);
    write_side(&json, "before", diff, 0);
    write_side(&json, "after", diff, 1);
    write_growth(&json, diff);
    json_bool(&json, "lossy", diff->is_lossy);
    json_begin_array(&json, "regions");
    for (size_t i = 0; i < comparison->count; i++)
        write_pair(&json, &comparison->pairs[i]);
    json_end_array(&json);
    json_end_object(&json);
    return 0;
}
