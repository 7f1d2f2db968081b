/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_history.c - which instant a report is of, and what its rows held over
 * time
 */
#include <inttypes.h>

#include "tool/commands/report/report_parts.h"

enum { SERIES_LIMIT = 1000 };

void report_print_instant(const struct report *report)
{
    const struct history *history = &report->profile->history;
    const struct ledger_instant *instant;
    char distance[64] = "";

    if (!history->is_chosen)
        return;
    instant = &history->instants[history->chosen];
    if (instant->ns != history->wish_ns)
        snprintf(distance, sizeof distance, ", %.3f s %s the time asked for",
                 history_distance(history, history->chosen),
                 instant->ns < history->wish_ns ? "before" : "after");
    printf("at %.3f s, the %s of %zu data points%s\n",
           history_seconds(history, instant->ns),
           history->wish.time == HISTORY_PEAK ? "highest" : "nearest",
           history->count, distance);
    if (history->left_out != 0)
        printf("the history lacks %" PRIu64 " call sites: no room\n",
               history->left_out);
}

static void write_values(struct json *json, const char *key,
                         const int64_t *values, size_t count)
{
    json_begin(json, key, JSON_LINE_ARRAY);
    for (size_t i = 0; i < count; i++)
        json_signed(json, NULL, values[i]);
    json_end(json);
}

/* Write series of rows, under the key they have in the report. */
static void write_series(struct json *json, const struct report *report,
                         const char *key, const struct report_rows *rows)
{
    const struct profile *profile = report->profile;
    size_t count = profile->history.count;
    size_t row_count = report_row_count(report, rows);
    size_t limit = profile->caller_count + profile->stacks.stack_count;
    OWNED uint32_t *numbers = memory_zeroed(limit + 1, sizeof *numbers);
    struct history_series series = { &profile->history, numbers, NULL, NULL };

    if (row_count > report->row_limit)
        row_count = report->row_limit;
    if (row_count > SERIES_LIMIT)
        row_count = SERIES_LIMIT;
    series.bytes = memory_zeroed(row_count * count + 1, sizeof *series.bytes);
    series.blocks = memory_zeroed(row_count * count + 1, sizeof *series.blocks);
    memset(numbers, 0xff, limit * sizeof *numbers);
    for (size_t i = 0; i < row_count; i++) {
        struct report_row row = report_row_at(report, rows, i);

        numbers[row.stack != NULL ? rows->stacks[i] : row.site] = (uint32_t)i;
        series.bytes[i * count] = (int64_t)row.amounts->inherited_bytes;
        series.blocks[i * count] = (int64_t)row.amounts->inherited_blocks;
    }
    history_series(&series, row_count);
    json_begin(json, key, JSON_ARRAY);
    for (size_t i = 0; i < row_count; i++) {
        json_begin(json, NULL, JSON_OBJECT);
        json_unsigned(json, "site", i);
        write_values(json, "live_bytes", &series.bytes[i * count], count);
        write_values(json, "live_blocks", &series.blocks[i * count], count);
        json_end(json);
    }
    json_end(json);
    free(series.bytes);
    free(series.blocks);
}

void report_write_history_json(struct json *json, const struct report *report)
{
    const struct history *history = &report->profile->history;

    if (history->count == 0 || report->is_sum_of_images)
        return;
    json_begin(json, "history", JSON_OBJECT);
    json_begin(json, "instants", JSON_LINE_ARRAY);
    for (size_t i = 0; i < history->count; i++)
        json_signed(json, NULL,
                    (int64_t)(history->instants[i].ns - history->start_ns));
    json_end(json);
    json_number_or_null(json, "at", history->is_chosen, history->chosen);
    json_unsigned(json, "left_out", history->left_out);
    if (report->has_series) {
        write_series(json, report, "sites", &report->rows[LEDGER_SITE_HEAP]);
        for (size_t i = LEDGER_SITE_MAP; i < LEDGER_SITE_KINDS; i++)
            write_series(json, report, profile_kind_names[i], &report->rows[i]);
    }
    json_end(json);
}
