/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json.c - a report for scripts
 *
 * Names are a contract: they may be added to, never changed. What this version
 * cannot know is null.
 *
 * Each row has a "stack". It is an array of frames; or, where each frame is
 * written only once, of their numbers in the array "frame_table", from 0. A
 * frame is in many stacks: the second form takes a small part of the room. In
 * the table come the frames of all places, as many for a place as were inlined
 * there and one more, and then a frame for each site.
 *
 * This file is long because all members of a report stand in it in their order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/ledger/ledger_layout.h"
#include "tool/commands/report/report_parts.h"
#include "tool/commands/report/site_figures.h"

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

static int open_frames(struct frames *frames, const struct report *report)
{
    size_t place_count =
        report->frames == NULL ? 0 : report->profile->stacks.place_count;

    *frames = (struct frames){ .report = report };
    if (!report->is_indexed)
        return 0;
    frames->numbers = calloc(place_count + 1, sizeof *frames->numbers);
    if (frames->numbers == NULL)
        return -1;
    for (uint32_t i = 0; i < place_count; i++) {
        size_t count = 0;

        frame_names_find(report->frames, i, &count);
        frames->numbers[i] = frames->place_frames;
        frames->place_frames += (uint32_t)count;
    }
    frames->numbers[place_count] = frames->place_frames;
    return 0;
}

static void close_frames(struct frames *frames)
{
    free(frames->numbers);
}

static void write_site_number(const struct frames *frames, struct json *json,
                              size_t site)
{
    if (frames->numbers != NULL)
        json_unsigned(json, NULL, frames->place_frames + site);
    else
        write_site_frame(frames->report, json, site);
}

static void write_place(const struct frames *frames, struct json *json,
                        uint32_t place)
{
    if (frames->numbers == NULL) {
        write_place_frames(frames->report, json, place);
        return;
    }
    for (uint32_t i = frames->numbers[place]; i < frames->numbers[place + 1];
         i++)
        json_unsigned(json, NULL, i);
}

static void begin_stack(const struct frames *frames, struct json *json)
{
    if (frames->numbers != NULL)
        json_begin(json, "stack", JSON_LINE_ARRAY);
    else
        json_begin(json, "stack", JSON_ARRAY);
}

static void write_site_stack(const struct frames *frames, struct json *json,
                             size_t site)
{
    begin_stack(frames, json);
    write_site_number(frames, json, site);
    json_end(json);
}

static void write_calls(const struct frames *frames, struct json *json,
                        const struct profile_stack *stack)
{
    const struct stacks *stacks = &frames->report->profile->stacks;
    uint32_t frame = stack->frame;

    begin_stack(frames, json);
    if (stack->place == STACK_NO_PLACE)
        write_site_number(frames, json, stack->site);
    else
        write_place(frames, json, stack->place);
    for (; stacks_is_frame(frame); frame = stacks->frames[frame].parent)
        write_place(frames, json, stacks->frames[frame].place);
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

/* Of a site, or of one of its stacks. */
static void write_figures(struct json *json, const struct report *report,
                          const struct profile_site *site,
                          const struct profile_amounts *amounts,
                          const struct lifetimes *lifetimes)
{
    const struct site_figures of = { report->profile, site, amounts,
                                     site->is_estimate };

    site_figures_write(json, &of, lifetimes);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(json, report->profile, lifetimes);
}

static void write_marks(struct json *json, const struct profile *profile,
                        const struct profile_site *site)
{
    if (profile->allocinfo_version != 0)
        json_bool(json, "accurate", !site->is_inaccurate);
    else
        json_bool(json, "unloaded", site->is_unloaded);
}

static void write_site(struct json *json, const struct report *report,
                       const struct frames *frames, size_t number)
{
    const struct profile_site *site = &report->profile->sites[number];

    json_begin(json, NULL, JSON_OBJECT);
    write_figures(json, report, site, &site->amounts, site->lifetimes);
    write_site_stack(frames, json, number);
    write_marks(json, report->profile, site);
    json_end(json);
}

static void write_stack(struct json *json, const struct report *report,
                        const struct frames *frames,
                        const struct profile_stack *stack)
{
    const struct profile_site *site = &report->profile->sites[stack->site];

    json_begin(json, NULL, JSON_OBJECT);
    write_figures(json, report, site, &stack->amounts, stack->lifetimes);
    write_calls(frames, json, stack);
    json_bool(json, "truncated",
              stacks_is_cut(&report->profile->stacks, stack, NULL));
    write_marks(json, report->profile, site);
    json_end(json);
}

static void write_sites(struct json *json, const char *key,
                        const struct report *report,
                        const struct frames *frames, const size_t *sites,
                        size_t count)
{
    json_begin(json, key, JSON_ARRAY);
    for (size_t i = 0; i < count && i < report->row_limit; i++)
        write_site(json, report, frames, sites[i]);
    json_end(json);
}

/* Where stacks are known, each is a row. */
static void write_stacks(struct json *json, const struct report *report,
                         const struct frames *frames)
{
    const struct stacks *stacks = &report->profile->stacks;

    json_begin(json, "sites", JSON_ARRAY);
    for (size_t i = 0; i < report->stack_count && i < report->row_limit; i++)
        write_stack(json, report, frames, &stacks->stacks[report->stacks[i]]);
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
    json_bool(json, "running", !image->has_ended);
    json_string(json, "mem_profiling", report_profiling(image));
    json_bool(json, "forked", (image->flags & LEDGER_FLAG_FORKED) != 0);
    json_unsigned(json, "images", profile->image_count);
    json_end(json);
}

static void write_images(struct json *json, const struct report *report)
{
    json_begin(json, "images", JSON_ARRAY);
    for (size_t i = 0; i < report->image_count; i++) {
        const struct report_image *image = &report->images[i];

        json_begin(json, NULL, JSON_OBJECT);
        json_string(json, "file", image->file->path);
        json_unsigned(json, "pid", image->file->pid);
        json_unsigned(json, "generation", image->file->generation);
        json_bool(json, "readable", image->is_readable);
        if (image->is_readable) {
            json_string(json, "program", image->program);
            json_bool(json, "running", image->is_running);
            json_signed(json, "bytes_live", image->heap.live_bytes);
            json_unsigned(json, "bytes_total", image->heap.alloc_bytes);
        }
        json_end(json);
    }
    json_end(json);
}

int report_write_json(const struct report *report)
{
    const struct profile *profile = report->profile;
    struct json json = { .out = stdout };
    struct frames frames;

    if (open_frames(&frames, report) < 0)
        return -1;
    json_begin(&json, NULL, JSON_OBJECT);
    json_begin(&json, "totals", JSON_OBJECT);
    site_figures_write_heap(&json, profile);
    json_end(&json);
    site_figures_write_sampling(&json, profile);
    if (report->view == REPORT_LIFETIMES)
        report_write_lifetimes_json(&json, profile, &profile->lifetimes);
    write_lost(&json, report);
    if (report->frames != NULL)
        write_stacks(&json, report, &frames);
    else
        write_sites(&json, "sites", report, &frames, report->heap,
                    report->heap_count);
    write_sites(&json, "maps", report, &frames, report->maps,
                report->map_count);
    write_frame_table(&frames, &json);
    report_write_trust_json(&json, report);
    if (profile->calls != NULL)
        report_calls_write_json(&json, report);
    else if (report->has_regions)
        report_write_regions_json(&json, profile);
    write_timeline(&json, profile);
    report_write_sizes_json(&json, profile);
    report_write_resident_json(&json, profile);
    write_process(&json, profile);
    write_images(&json, report);
    json_end(&json);
    close_frames(&frames);
    return 0;
}
