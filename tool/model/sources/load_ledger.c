/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger.c - the accounts of one ledger, added to a profile
 */
#include "tool/model/sources/load_ledger.h"

#include <stdlib.h>

#include "tool/model/sources/load_ledger_parts.h"

enum { RESIDENT_SINCE_MINOR = 5 };

/* Arguments joined by NUL, as a line. */
static char *copy_command_line(struct ledger_text_view text)
{
    char *line = memory_resized(NULL, text.length + 1, 1);

    if (text.length != 0)
        memcpy(line, text.bytes, text.length);
    while (text.length > 0 && line[text.length - 1] == '\0')
        text.length--;
    line[text.length] = '\0';
    for (size_t i = 0; i < text.length; i++) {
        if (line[i] == '\0')
            line[i] = ' ';
    }
    return line;
}

static int load_image(struct loading *loading)
{
    const struct ledger_process_view *process = &loading->reader.process;
    struct profile_image image = {
        .pid = process->pid,
        .parent_pid = process->parent_pid,
        .start_ns = process->start_ns,
        .start_ticks = process->start_ticks,
        .end_ns = process->end_ns,
        .control = process->control,
        .flags = process->flags,
        .end = process->end,
        .end_code = process->end_code,
        .has_ended = process->ended != 0,
        .program = load_text(process->program),
        .command_line = copy_command_line(process->command_line),
    };

    profile_add_image(loading->profile, &image);
    free(image.program);
    free(image.command_line);
    return 0;
}

static int load_notices(struct loading *loading)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view view;
    int found;

    while ((found = ledger_reader_next_notice(&loading->reader, &cursor,
                                              &view)) > 0) {
        struct profile_notice notice = { .code = view.code,
                                         .times = view.times,
                                         .text = load_text(view.text) };

        profile_add_notice(loading->profile, &notice);
        free(notice.text);
    }
    return found;
}

static int load_regions(struct loading *loading)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_region_view view;
    int found;

    while ((found = ledger_reader_next_region(&loading->reader, &cursor,
                                              &view)) > 0) {
        struct profile_region region = {
            .seen = view,
            .pid = loading->reader.process.pid,
            .name = load_text(view.name),
        };
        const struct loaded_module *module;
        int error = loaded_module_find_at(loading, view.address, &module);

        if (error >= 0) {
            region.seen.name = (struct ledger_text_view){ 0 };
            region.module = module->module;
            profile_add_region(loading->profile, &region);
        }
        free(region.name);
        if (error < 0)
            return error;
    }
    return found;
}

static bool is_later(const struct loading *loading, uint64_t ns)
{
    const struct history *history = loading->instant;

    return history != NULL && ns > history->instants[history->chosen].ns;
}

static int load_timeline(struct loading *loading)
{
    const struct ledger_process_view *process = &loading->reader.process;
    struct timeline *timeline = &loading->profile->timeline;
    uint64_t image = loading->profile->image_count - 1;
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample view;
    int found;

    while ((found = ledger_reader_next_sample(&loading->reader, &cursor,
                                              &view)) > 0) {
        struct timeline_sample sample = {
            .ns = view.ns,
            .image = image,
            .live_bytes = (int64_t)view.live_bytes,
            .live_blocks = (int64_t)view.live_blocks,
            .total_bytes = view.alloc_bytes,
        };

        if (!is_later(loading, sample.ns))
            timeline_add_sample(timeline, &sample);
    }
    if (found == 0 && process->ended != 0)
        timeline_end_image(timeline, image, process->end_ns);
    return found;
}

/* Several images were not read at one time, and share memory. */
static void load_resident(struct loading *loading)
{
    const struct ledger_reader *reader = &loading->reader;
    struct profile_resident *resident = &loading->profile->resident;

    *resident = (struct profile_resident){ 0 };
    if (loading->profile->image_count > 1 || loading->instant != NULL)
        return;
    resident->is_known = ledger_reader_resident(reader, LEDGER_RESIDENT_LATEST,
                                                &resident->latest);
    resident->is_missing =
        !resident->is_known && reader->minor >= RESIDENT_SINCE_MINOR;
    if (!ledger_reader_resident(reader, LEDGER_RESIDENT_MOST, &resident->most))
        resident->most = (struct ledger_resident){ 0 };
}

static int load_events(struct loading *loading)
{
    struct ledger_events_view *events = &loading->profile->events;
    int found;

    *events = (struct ledger_events_view){ 0 };
    found = ledger_reader_events(&loading->reader, events);
    if (loading->profile->image_count > 1 || loading->instant != NULL)
        events->offset = 0;
    return found < 0 ? found : 0;
}

static int load_sizes(struct loading *loading)
{
    struct profile *profile = loading->profile;
    uint64_t sizes[LEDGER_SIZE_CLASSES];
    int found = ledger_reader_sizes(&loading->reader, sizes);

    profile->has_sizes = found > 0 && loading->instant == NULL &&
                         (profile->image_count == 1 || profile->has_sizes);
    for (unsigned i = 0; found > 0 && i < LEDGER_SIZE_CLASSES; i++)
        profile->sizes[i] += loading->is_earlier ? -sizes[i] : sizes[i];
    return found < 0 ? found : 0;
}

static int load_all(struct loading *loading)
{
    static int (*const parts[])(struct loading *) = {
        load_image,   load_history,  load_sites, load_notices,
        load_regions, load_timeline, load_sizes, load_events,
    };
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof parts / sizeof parts[0]; i++)
        error = parts[i](loading);
    if (error == 0)
        load_resident(loading);
    for (uint32_t i = 0; error == 0 && i < LEDGER_COUNT_COUNT; i++) {
        uint64_t *sum = &loading->profile->counts[i];
        uint64_t count =
            ledger_reader_count(&loading->reader, (enum ledger_count)i);

        /* Each image has these of the whole recording. */
        if (i != LEDGER_COUNT_unrecorded_images &&
            i != LEDGER_COUNT_left_running)
            *sum += count;
        else if (count > *sum)
            *sum = count;
    }
    return error;
}

/* Of `loading`, which has come to an end. */
static int finish(struct loading *loading, int error,
                  struct source_failure *failure)
{
    load_stacks_end(loading);
    if (error == 0)
        return 0;
    source_fail(failure, ledger_error_why(error), ledger_error_advice(error));
    failure->has_offset = true;
    failure->offset = loading->reader.error_offset;
    return -1;
}

static int begin(struct loading *loading, const unsigned char *bytes,
                 size_t size)
{
    int error = ledger_reader_open(&loading->reader, bytes, size);

    if (error == LEDGER_E_OK)
        load_modules(loading);
    return error;
}

int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure)
{
    struct loading loading = { .profile = profile };
    int error = begin(&loading, bytes, size);

    if (error == LEDGER_E_OK)
        error = load_all(&loading);
    return finish(&loading, error, failure);
}

static bool is_same_image(const struct profile *profile,
                          const struct ledger_process_view *process)
{
    const struct profile_image *image = profile->images;

    return profile->image_count == 1 && image->pid == process->pid &&
           image->start_ticks == process->start_ticks &&
           image->start_ns == process->start_ns;
}

/* When it was read: its last sample, or its end. */
static int find_time(struct loading *loading, uint64_t *ns)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample view;
    int found;

    *ns = loading->reader.process.start_ns;
    while ((found = ledger_reader_next_sample(&loading->reader, &cursor,
                                              &view)) > 0) {
        if (view.ns > *ns)
            *ns = view.ns;
    }
    if (loading->reader.process.end_ns > *ns)
        *ns = loading->reader.process.end_ns;
    return found;
}

int load_ledger_earlier(const unsigned char *bytes, size_t size,
                        struct profile *profile, struct source_failure *failure)
{
    struct loading loading = { .profile = profile, .is_earlier = true };
    int error = begin(&loading, bytes, size);

    if (error == LEDGER_E_OK &&
        !is_same_image(profile, &loading.reader.process)) {
        finish(&loading, 0, failure);
        return source_fail(failure, "it is of another process image",
                           "name a snapshot of the same one");
    }
    profile->has_peaks = false;
    profile->peak_bytes = profile->peak_most = profile->peak_with_maps = 0;
    if (error == LEDGER_E_OK)
        error = find_time(&loading, &profile->since_ns);
    if (error == 0)
        error = load_sites(&loading);
    if (error == 0)
        error = load_sizes(&loading);
    return finish(&loading, error, failure);
}
