/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json_frames.c - see report_json_frames.h
 *
 * In the table come the frames of all places, as many for a place as were
 * inlined there and one more, and then a frame for each site.
 */
#include "tool/commands/report/report_json_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_frame(struct json *json, const struct site_name *name,
                        const char *address)
{
    json_begin_line_object(json, NULL);
    json_string(json, "function", name->function);
    json_string(json, "file", name->file);
    json_known(json, "line", name->file != NULL, name->line);
    json_string(json, "module", name->module);
    json_string(json, "address", address);
    json_end_object(json);
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

int report_json_frames_open(struct report_json_frames *frames,
                            const struct report *report)
{
    size_t place_count =
        report->frames == NULL ? 0 : report->profile->stacks.place_count;

    *frames = (struct report_json_frames){ .report = report };
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

void report_json_frames_close(struct report_json_frames *frames)
{
    free(frames->numbers);
}

static void write_site(const struct report_json_frames *frames,
                       struct json *json, size_t site)
{
    if (frames->numbers != NULL)
        json_unsigned(json, NULL, frames->place_frames + site);
    else
        write_site_frame(frames->report, json, site);
}

static void write_place(const struct report_json_frames *frames,
                        struct json *json, uint32_t place)
{
    if (frames->numbers == NULL) {
        write_place_frames(frames->report, json, place);
        return;
    }
    for (uint32_t i = frames->numbers[place]; i < frames->numbers[place + 1];
         i++)
        json_unsigned(json, NULL, i);
}

static void begin_stack(const struct report_json_frames *frames,
                        struct json *json)
{
    if (frames->numbers != NULL)
        json_begin_line_array(json, "stack");
    else
        json_begin_array(json, "stack");
}

void report_json_frames_write_site(const struct report_json_frames *frames,
                                   struct json *json, size_t site)
{
    begin_stack(frames, json);
    write_site(frames, json, site);
    json_end_array(json);
}

void report_json_frames_write_stack(const struct report_json_frames *frames,
                                    struct json *json,
                                    const struct profile_stack *stack)
{
    const struct stacks *stacks = &frames->report->profile->stacks;
    uint32_t frame = stack->frame;

    begin_stack(frames, json);
    if (stack->place == STACK_NO_PLACE)
        write_site(frames, json, stack->site);
    else
        write_place(frames, json, stack->place);
    for (; stacks_is_frame(frame); frame = stacks->frames[frame].parent)
        write_place(frames, json, stacks->frames[frame].place);
    json_end_array(json);
}

void report_json_frames_write_table(const struct report_json_frames *frames,
                                    struct json *json)
{
    const struct report *report = frames->report;

    if (frames->numbers == NULL)
        return;
    json_begin_array(json, "frame_table");
    for (uint32_t i = 0;
         report->frames != NULL && i < report->profile->stacks.place_count; i++)
        write_place_frames(report, json, i);
    for (size_t i = 0; i < report->profile->site_count; i++)
        write_site_frame(report, json, i);
    json_end_array(json);
}
