/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json.c - a report for scripts
 *
 * Unknown values are null.
 *
 * Each row has a "stack", a number: render.h. Only calls of rows that are
 * shown are in the tables.
 */
#include <inttypes.h>

#include "tool/commands/figures/site_figures.h"
#include "tool/commands/report/report_parts.h"

struct frames {
    const struct report *report;
    struct stack_tables tables;
    uint32_t *callers; /* by frame of the profile, its stack */
};

static size_t shown_rows(const struct report *report,
                         const struct report_rows *rows)
{
    size_t count = report_row_count(report, rows);

    return count < report->row_limit ? count : report->row_limit;
}

static uint32_t callers_of(const struct frames *frames, uint32_t frame)
{
    return stacks_is_frame(frame) ? frames->callers[frame] : STACK_TABLES_NONE;
}

/* All that was inlined at one place has the address of the call. */
static uint32_t add_place(struct frames *frames, uint32_t callers,
                          uint32_t number)
{
    const struct profile *profile = frames->report->profile;
    size_t count = 0;
    const struct frame_name *found =
        frame_names_find(frames->report->frames, number, &count);

    if (profile_pair(profile, number) != NULL)
        return callers; /* among the labels */
    while (count-- > 0)
        callers = stack_tables_add(&frames->tables, callers, &found[count].name,
                                   &profile->stacks.places[number].address);
    return callers;
}

/* The callers of rows that are shown; a caller has the lower number. */
static void open_frames(struct frames *frames, const struct report *report)
{
    const struct stacks *stacks = &report->profile->stacks;

    *frames = (struct frames){ .report = report };
    frames->callers =
        memory_zeroed(stacks->frame_count + 1, sizeof *frames->callers);
    for (size_t kind = 0; kind < LEDGER_SITE_KINDS; kind++) {
        const struct report_rows *rows = &report->rows[kind];

        for (size_t i = 0; i < shown_rows(report, rows); i++) {
            struct report_row row = report_row_at(report, rows, i);
            uint32_t frame = row.stack == NULL ? STACK_WHOLE : row.stack->frame;

            for (; stacks_is_frame(frame) && frames->callers[frame] == 0;
                 frame = stacks->frames[frame].parent)
                frames->callers[frame] = true;
        }
    }
    for (size_t i = 1; i < stacks->frame_count; i++) {
        const struct profile_frame *frame = &stacks->frames[i];

        if (frames->callers[i] != 0)
            frames->callers[i] = add_place(
                frames, callers_of(frames, frame->parent), frame->place);
    }
}

static void write_stack(struct frames *frames, struct json *json,
                        const struct report_row *row)
{
    const struct report *report = frames->report;
    const struct stacks *stacks = &report->profile->stacks;
    const struct profile_site *site = &report->profile->callers[row->site];
    const struct profile_stack *stack = row->stack;
    uint32_t number =
        callers_of(frames, stack == NULL ? STACK_WHOLE : stack->frame);
    bool is_map = false;

    if (stack == NULL || stack->place == STACK_NO_PLACE) {
        number = stack_tables_add(&frames->tables, number,
                                  &report->names->sites[row->site],
                                  site->label == NULL ? &site->place : NULL);
    } else if (stacks_kind(stacks, stack->place) == 0) {
        number = add_place(frames, number, stack->place);
    } else {
        /* The array says already that it is a map. */
        is_map = frame_names_folded(report->frames, stack) > 0;
    }
    json_number_or_null(json, "stack", number != STACK_TABLES_NONE, number);
    if (stack == NULL)
        return;
    json_unsigned(json, "folded",
                  frame_names_folded(report->frames, stack) - is_map);
    json_bool(json, "truncated", stacks_is_cut(stacks, stack, NULL));
}

/* A pair without = has no value. */
static void write_labels(struct json *json, const struct profile *profile,
                         const struct report_row *row)
{
    uint32_t frame = row->stack != NULL ? row->stack->frame
                                        : profile->callers[row->site].frame;
    const char *pair;

    if (profile->labels.count == 0)
        return;
    json_begin(json, "labels", JSON_LINE_OBJECT);
    while ((pair = profile_next_pair(profile, &frame)) != NULL) {
        size_t length = strcspn(pair, "=");
        OWNED char *key = memory_or_exit(strndup(pair, length));

        json_string(json, key, pair + length + (pair[length] == '='));
    }
    json_end(json);
}

static void write_lost(struct json *json, const struct report *report)
{
    static const char *const names[] = {
#define COUNT_NAME(name, sentence) #name,
        LEDGER_COUNT_LIST(COUNT_NAME)
#undef COUNT_NAME
    };
    const struct profile *profile = report->profile;

    json_begin(json, "lost", JSON_OBJECT);
    for (size_t i = 0; i < LEDGER_COUNT_COUNT; i++)
        json_number_or_null(json, names[i], profile->allocinfo_version == 0,
                            profile->counts[i]);
    report_calls_write_lost(json, report);
    json_end(json);
}

static void write_row(struct json *json, struct frames *frames,
                      const struct report_row *row)
{
    const struct report *report = frames->report;
    const struct profile *profile = report->profile;
    const struct profile_site *site = &profile->callers[row->site];
    const struct site_figures of = { profile, site, row->amounts,
                                     site->is_estimate };

    json_begin(json, NULL, JSON_LINE_OBJECT);
    site_figures_write(json, &of, row->lifetimes);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(json, profile, row->lifetimes);
    write_labels(json, profile, row);
    write_stack(frames, json, row);
    if (profile->allocinfo_version != 0)
        json_bool(json, "accurate", !site->is_inaccurate);
    else if (site->is_unloaded)
        json_bool(json, "unloaded", true);
    json_end(json);
}

static void write_rows(struct json *json, const char *key,
                       struct frames *frames, const struct report_rows *rows)
{
    const struct report *report = frames->report;

    json_begin(json, key, JSON_ARRAY);
    for (size_t i = 0; i < shown_rows(report, rows); i++) {
        struct report_row row = report_row_at(report, rows, i);

        write_row(json, frames, &row);
    }
    json_end(json);
}

static void write_images(struct json *json, const struct report *report)
{
    json_begin(json, "images", JSON_ARRAY);
    for (size_t i = 0; i < report->processes->count; i++) {
        const struct process_image *image = &report->processes->images[i];

        if (image == report->chosen)
            continue;
        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "file", image->path);
        json_unsigned(json, "pid", image->pid);
        json_unsigned(json, "generation", image->generation);
        json_bool(json, "readable", image->is_readable);
        if (image->is_readable) {
            json_string(json, "program", image->program);
            json_bool(json, "running", image->is_running);
            json_signed(json, "bytes_live", image->live);
            json_unsigned(json, "bytes_total", image->total);
        }
        json_end(json);
    }
    json_end(json);
}

void report_write_json(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct json json = { .out = report->out != NULL ? report->out : stdout };
    const struct facet_subject subject = report_subject(report);
    struct frames frames;

    open_frames(&frames, report);
    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_begin(&json, "totals", JSON_OBJECT);
    site_figures_write_heap(&json, profile);
    json_end(&json);
    json_number_or_null(&json, "duration_ns", profile->duration_ns != 0,
                        profile->duration_ns);
    site_figures_write_sampling(&json, profile);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(&json, profile, &profile->lifetimes);
    write_lost(&json, report);
    json_strings(&json, "wrappers", JSON_LINE_ARRAY, report->wrappers.texts,
                 report->wrappers.count);
    write_rows(&json, "sites", &frames, &report->rows[LEDGER_SITE_HEAP]);
    for (size_t i = LEDGER_SITE_MAP; i < LEDGER_SITE_KINDS; i++)
        write_rows(&json, profile_kind_names[i], &frames, &report->rows[i]);
    stack_tables_write(&frames.tables, &json);
    if (profile->calls != NULL)
        report_calls_write_json(&json, report);
    else if (report->has_regions)
        report_write_regions_json(&json, profile);
    report_write_history_json(&json, report);
    facets_write(&subject, &json);
    if (profile->has_residency)
        report_write_residency_json(&json, profile);
    write_images(&json, report);
    json_end(&json);
    stack_tables_free(&frames.tables);
    free(frames.callers);
}
