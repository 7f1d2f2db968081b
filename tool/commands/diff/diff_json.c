/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff_json.c - two sources compared, for scripts
 *
 * Names are a contract: they may be added to, never changed. Places that did
 * not change have a row, too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/diff/diff.h"
#include "tool/commands/report/report_estimates.h"
#include "tool/render/json.h"

/* Nothing where both sides are exact. */
static void write_growth_intervals(struct json *json, const struct diff *diff,
                                   const struct comparison_amounts *before,
                                   const struct comparison_amounts *after)
{
    if (diff->profiles[0]->sample_interval <= 1 &&
        diff->profiles[1]->sample_interval <= 1)
        return;
    json_begin_object(json, "intervals");
    report_write_interval(json, "bytes_growth",
                          diff_growth_interval(diff, before, after, true));
    report_write_interval(json, "blocks_growth",
                          diff_growth_interval(diff, before, after, false));
    json_end_object(json);
}

static void write_side(struct json *json, const char *key, const char *name,
                       const struct comparison_amounts *amounts,
                       int64_t slab_bytes)
{
    json_begin_object(json, key);
    json_string(json, "source", name);
    json_signed(json, "bytes", amounts->bytes);
    json_signed(json, "blocks", amounts->blocks);
    json_signed(json, "slab_page_bytes", slab_bytes);
    json_end_object(json);
}

static void write_growth(struct json *json, const struct diff *diff)
{
    json_begin_object(json, "growth");
    json_signed(json, "bytes", diff->comparison->growth.bytes);
    json_signed(json, "blocks", diff->comparison->growth.blocks);
    json_fraction(json, "percent", comparison_percent(diff->comparison));
    json_fraction(json, "bound_percent", diff->has_bound ? diff->bound : NAN);
    json_bool(json, "exceeded", diff->is_exceeded);
    write_growth_intervals(json, diff, &diff->comparison->before,
                           &diff->comparison->after);
    json_end_object(json);
}

/* Texts of rows are strings. */
static void write_text(struct json *json, const char *key,
                       struct allocinfo_text text)
{
    json_string(json, key, text.length == 0 ? NULL : text.bytes);
}

static void write_row(struct json *json, const struct diff *diff,
                      const struct comparison_row *row)
{
    static const char *const states[] = { [COMPARISON_BOTH] = "both",
                                          [COMPARISON_NEW] = "new",
                                          [COMPARISON_GONE] = "gone" };

    json_begin_object(json, NULL);
    write_text(json, "function", row->place->function);
    write_text(json, "file", row->place->file);
    json_unsigned(json, "line", row->place->line);
    json_known(json, "line_before", row->state != COMPARISON_NEW,
               row->line_before);
    json_unsigned(json, "lines_before", row->places_before);
    json_unsigned(json, "lines_after", row->places_after);
    write_text(json, "module", row->place->module);
    json_signed(json, "bytes_before", row->before.bytes);
    json_signed(json, "bytes_after", row->after.bytes);
    json_signed(json, "bytes_growth", row->growth.bytes);
    json_signed(json, "blocks_before", row->before.blocks);
    json_signed(json, "blocks_after", row->after.blocks);
    json_signed(json, "blocks_growth", row->growth.blocks);
    json_string(json, "state", states[row->state]);
    json_bool(json, "accurate", !row->is_inaccurate);
    json_bool(json, "growth_accurate", !row->is_unsure);
    write_growth_intervals(json, diff, &row->before, &row->after);
    json_end_object(json);
}

int diff_write_json(const struct diff *diff)
{
    const struct comparison *comparison = diff->comparison;
    struct json json = { .out = stdout };

    json_begin_object(&json, NULL);
    write_side(&json, "before", diff->before_name, &comparison->before,
               diff->slab_bytes[0]);
    write_side(&json, "after", diff->after_name, &comparison->after,
               diff->slab_bytes[1]);
    write_growth(&json, diff);
    json_bool(&json, "lossy", diff->is_lossy);
    json_begin_array(&json, "rows");
    for (size_t i = 0; i < comparison->count && i < diff->row_limit; i++)
        write_row(&json, diff, &comparison->rows[i]);
    json_end_array(&json);
    if (diff->stacks != NULL && diff_write_stacks_json(&json, diff) < 0)
        return -1;
    json_end_object(&json);
    return 0;
}
