/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json.c - a report for scripts
 *
 * What this version cannot know is null.
 *
 * Each row has a "stack". It is an array of frames; or, where each frame is
 * written only once, of their numbers in the array "frame_table", from 0. A
 * frame is in many stacks: the second form takes a small part of the room. In
 * the table come the frames of all places, as many for a place as were inlined
 * there and one more, and then a frame for each site.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/figures/site_figures.h"
#include "tool/commands/report/report_parts.h"
#include "tool/tables/memory.h"

struct frames {
    const struct report *report;
    uint32_t *numbers;     /* of each place, its innermost frame's; NULL: frames
                              are written out */
    uint32_t place_frames; /* frames of all places */
};

static void write_frame(struct json *json, const struct site_name *name,
                        const char *address)
{
    json_begin(json, NULL, JSON_LINE_OBJECT);
    site_figures_write_name(json, name);
    json_string(json, "address", address);
    json_end(json);
}

static void write_site_frame(const struct report *report, struct json *json,
                             size_t number)
{
    const struct profile_site *site = &report->profile->sites[number];
    char place[SITE_PLACE_SIZE];

    write_frame(json, &report->names->sites[number],
                site->label == NULL ? site_place(place, site) : NULL);
}

/* All that was inlined at one place has the address of the call. */
static void write_place_frames(const struct report *report, struct json *json,
                               uint32_t number)
{
    const struct profile_place *place = &report->profile->stacks.places[number];
    size_t count = 0;
    const struct frame_name *found =
        frame_names_find(report->frames, number, &count);
    char address[SITE_PLACE_SIZE];

    snprintf(address, sizeof address, "0x%" PRIx64, place->address);
    for (size_t i = 0; i < count; i++)
        write_frame(json, &found[i].name, address);
}

static void open_frames(struct frames *frames, const struct report *report)
{
    size_t place_count =
        report->frames == NULL ? 0 : report->profile->stacks.place_count;

    *frames = (struct frames){ .report = report };
    if (!report->is_indexed)
        return;
    frames->numbers = memory_zeroed(place_count + 1, sizeof *frames->numbers);
    for (uint32_t i = 0; i < place_count; i++) {
        size_t count = 0;

        frame_names_find(report->frames, i, &count);
        frames->numbers[i] = frames->place_frames;
        frames->place_frames += (uint32_t)count;
    }
    frames->numbers[place_count] = frames->place_frames;
}

static void write_place(const struct frames *frames, struct json *json,
                        uint32_t place)
{
    if (profile_pair(frames->report->profile, place) != NULL)
        return; /* among the labels */
    if (frames->numbers == NULL) {
        write_place_frames(frames->report, json, place);
        return;
    }
    for (uint32_t i = frames->numbers[place]; i < frames->numbers[place + 1];
         i++)
        json_unsigned(json, NULL, i);
}

static void write_stack(const struct frames *frames, struct json *json,
                        const struct report_row *row)
{
    const struct stacks *stacks = &frames->report->profile->stacks;
    const struct profile_stack *stack = row->stack;
    bool is_map = false;

    json_begin(json, "stack",
               frames->numbers != NULL ? JSON_LINE_ARRAY : JSON_ARRAY);
    if (stack != NULL && stack->place != STACK_NO_PLACE) {
        /* That it is a map is said by the array it is in. */
        is_map = stacks->places[stack->place].address == STACK_MAP &&
                 frame_names_folded(frames->report->frames, stack) > 0;
        if (stacks->places[stack->place].address != STACK_MAP)
            write_place(frames, json, stack->place);
    } else if (frames->numbers != NULL)
        json_unsigned(json, NULL, frames->place_frames + row->site);
    else
        write_site_frame(frames->report, json, row->site);
    for (uint32_t frame = stack == NULL ? STACK_WHOLE : stack->frame;
         stacks_is_frame(frame); frame = stacks->frames[frame].parent)
        write_place(frames, json, stacks->frames[frame].place);
    json_end(json);
    if (stack == NULL)
        return;
    json_unsigned(json, "folded",
                  frame_names_folded(frames->report->frames, stack) - is_map);
    json_bool(json, "truncated", stacks_is_cut(stacks, stack, NULL));
}

/* A pair without = has no value. */
static void write_labels(struct json *json, const struct profile *profile,
                         const struct report_row *row)
{
    uint32_t frame = row->stack != NULL ? row->stack->frame
                                        : profile->sites[row->site].frame;
    const char *pair;

    if (profile->labels.count == 0)
        return;
    json_begin(json, "labels", JSON_LINE_OBJECT);
    while ((pair = profile_next_pair(profile, &frame)) != NULL) {
        size_t length = strcspn(pair, "=");
        char *key = memory_got(strndup(pair, length));

        json_string(json, key, pair + length + (pair[length] == '='));
        free(key);
    }
    json_end(json);
}

static void write_frame_table(const struct frames *frames, struct json *json)
{
    const struct report *report = frames->report;

    if (frames->numbers == NULL)
        return;
    json_begin(json, "frame_table", JSON_ARRAY);
    for (uint32_t i = 0;
         report->frames != NULL && i < report->profile->stacks.place_count; i++)
        write_place_frames(report, json, i);
    for (size_t i = 0; i < report->profile->site_count; i++)
        write_site_frame(report, json, i);
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
        json_known(json, names[i], profile->allocinfo_version == 0,
                   profile->counts[i]);
    report_calls_write_lost(json, report);
    json_end(json);
}

static void write_row(struct json *json, const struct frames *frames,
                      const struct report_row *row)
{
    const struct report *report = frames->report;
    const struct profile *profile = report->profile;
    const struct profile_site *site = &profile->sites[row->site];
    const struct site_figures of = { profile, site, row->amounts,
                                     site->is_estimate };

    json_begin(json, NULL, JSON_OBJECT);
    site_figures_write(json, &of, row->lifetimes);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(json, profile, row->lifetimes);
    write_labels(json, profile, row);
    write_stack(frames, json, row);
    if (profile->allocinfo_version != 0)
        json_bool(json, "accurate", !site->is_inaccurate);
    else
        json_bool(json, "unloaded", site->is_unloaded);
    json_end(json);
}

static void write_rows(struct json *json, const char *key,
                       const struct frames *frames,
                       const struct report_rows *rows)
{
    const struct report *report = frames->report;
    size_t count = report_row_count(report, rows);

    json_begin(json, key, JSON_ARRAY);
    for (size_t i = 0; i < count && i < report->row_limit; i++) {
        struct report_row row = report_row_at(report, rows, i);

        write_row(json, frames, &row);
    }
    json_end(json);
}

static void write_timeline(struct json *json, const struct profile *profile)
{
    if (profile->allocinfo_version != 0) {
        json_null(json, "timeline");
        return;
    }
    json_begin(json, "timeline", JSON_ARRAY);
    for (size_t i = 0; i < profile->timeline.count; i++) {
        const struct timeline_sample *sample = &profile->timeline.samples[i];

        json_begin(json, NULL, JSON_OBJECT);
        json_known(json, "ns",
                   profile->calls == NULL || profile->calls->has_times,
                   sample->ns);
        if (profile->calls != NULL)
            json_known(json, "event", !profile->calls->has_times, sample->ns);
        json_signed(json, "live_bytes", sample->live_bytes);
        json_signed(json, "live_blocks", sample->live_blocks);
        json_unsigned(json, "total_bytes", sample->total_bytes);
        json_end(json);
    }
    json_end(json);
}

/* The first image; --all counts them in "images". */
static void write_process(struct json *json, const struct profile *profile)
{
    const struct profile_image *image = profile->images;

    if (profile->image_count == 0) {
        json_null(json, "process");
        return;
    }
    json_begin(json, "process", JSON_OBJECT);
    json_unsigned(json, "pid", image->pid);
    json_unsigned(json, "parent_pid", image->parent_pid);
    json_string(json, "program", image->program);
    json_string(json, "command_line", image->command_line);
    json_unsigned(json, "start_ns", image->start_ns);
    json_known(json, "end_ns", image->has_ended, image->end_ns);
    if (profile->since_ns != 0)
        json_unsigned(json, "since_ns", profile->since_ns);
    json_bool(json, "running", !image->has_ended);
    json_string(json, "mem_profiling", report_profiling(image));
    json_bool(json, "forked", (image->flags & LEDGER_FLAG_FORKED) != 0);
    json_unsigned(json, "images", profile->image_count);
    json_end(json);
}

static void write_images(struct json *json, const struct report *report)
{
    json_begin(json, "images", JSON_ARRAY);
    for (size_t i = 1; i < report->processes->count; i++) {
        const struct process_image *image = &report->processes->images[i];

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
    struct json json = { .out = stdout };
    struct frames frames;

    open_frames(&frames, report);
    json_begin(&json, NULL, JSON_OBJECT);
    json_begin(&json, "totals", JSON_OBJECT);
    site_figures_write_heap(&json, profile);
    json_end(&json);
    site_figures_write_sampling(&json, profile);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(&json, profile, &profile->lifetimes);
    write_lost(&json, report);
    json_begin(&json, "wrappers", JSON_LINE_ARRAY);
    for (size_t i = 0; i < report->wrappers.count; i++)
        json_string(&json, NULL, report->wrappers.texts[i]);
    json_end(&json);
    write_rows(&json, "sites", &frames, &report->heap);
    write_rows(&json, "maps", &frames, &report->maps);
    write_frame_table(&frames, &json);
    report_write_trust_json(&json, report);
    if (profile->calls != NULL)
        report_calls_write_json(&json, report);
    else if (report->has_regions)
        report_write_regions_json(&json, profile);
    write_timeline(&json, profile);
    report_write_history_json(&json, report);
    report_write_sizes_json(&json, profile);
    report_write_resident_json(&json, profile);
    if (profile->has_residency)
        report_write_residency_json(&json, profile);
    write_process(&json, profile);
    write_images(&json, report);
    json_end(&json);
    free(frames.numbers);
}
