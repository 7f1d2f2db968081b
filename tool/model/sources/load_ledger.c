/* SPDX-License-Identifier: Apache-2.0 */
/* load_ledger.c - see sources.h */
#include "tool/model/sources/load_ledger_parts.h"
#include "tool/model/sources/sources.h"

enum { RESIDENT_SINCE_MINOR = 5 };

/* Join arguments that NULs separate by spaces. */
static char *copy_command_line(struct arena *arena,
                               struct ledger_text_view text)
{
    char *line = arena_text_of(arena, text.bytes, text.length);

    while (text.length > 0 && line[text.length - 1] == '\0')
        text.length--;
    line[text.length] = '\0';
    for (size_t i = 0; i < text.length; i++) {
        if (line[i] == '\0')
            line[i] = ' ';
    }
    return line;
}

static int load_image(struct ledger_load *load)
{
    const struct ledger_process_view *process = &load->reader.process;
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
        .program = load_text(load, process->program),
        .command_line = copy_command_line(load->arena, process->command_line),
    };

    profile_add_image(load->profile, &image);
    return 0;
}

static int load_notices(struct ledger_load *load)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_notice_view view;
    int found;

    while ((found = ledger_reader_next_notice(&load->reader, &cursor, &view)) >
           0) {
        struct profile_notice notice = { .code = view.code,
                                         .times = view.times,
                                         .text = load_text(load, view.text) };

        profile_add_notice(load->profile, &notice);
    }
    return found;
}

static int load_regions(struct ledger_load *load)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_region_view view;
    int found;

    while ((found = ledger_reader_next_region(&load->reader, &cursor, &view)) >
           0) {
        struct profile_region region = {
            .seen = view,
            .pid = load->reader.process.pid,
            .name = load_text(load, view.name),
        };
        const struct loaded_module *module;
        int error = loaded_module_find_at(load, view.address, &module);

        if (error < 0)
            return error;
        region.seen.name = (struct ledger_text_view){ 0 };
        region.module = module->module;
        profile_add_region(load->profile, &region);
    }
    return found;
}

static int load_timeline(struct ledger_load *load)
{
    const struct ledger_process_view *process = &load->reader.process;
    struct timeline *timeline = &load->profile->timeline;
    const struct history *history = load->instant;
    uint64_t image = load->profile->image_count - 1;
    uint64_t last_ns =
        history == NULL ? UINT64_MAX : history->instants[history->chosen].ns;
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample view;
    int found;

    while ((found = ledger_reader_next_sample(&load->reader, &cursor, &view)) >
           0) {
        struct timeline_sample sample = {
            .ns = view.ns,
            .image = image,
            .live_bytes = (int64_t)view.live_bytes,
            .live_blocks = (int64_t)view.live_blocks,
            .total_bytes = view.alloc_bytes,
        };

        if (sample.ns <= last_ns)
            timeline_add_sample(timeline, &sample);
    }
    if (found == 0 && process->ended != 0)
        timeline_end_image(timeline, image, process->end_ns);
    return found;
}

/* Load resident memory, of one image alone: several share memory and were read
   at different times. */
static void load_resident(struct ledger_load *load)
{
    const struct ledger_reader *reader = &load->reader;
    struct profile_resident *resident = &load->profile->resident;

    *resident = (struct profile_resident){ 0 };
    if (load->profile->image_count > 1 || load->instant != NULL)
        return;
    resident->is_known = ledger_reader_resident(reader, LEDGER_RESIDENT_LATEST,
                                                &resident->latest);
    resident->is_missing =
        !resident->is_known && reader->minor >= RESIDENT_SINCE_MINOR;
    if (!ledger_reader_resident(reader, LEDGER_RESIDENT_MOST, &resident->most))
        resident->most = (struct ledger_resident){ 0 };
}

static int load_events(struct ledger_load *load)
{
    struct ledger_events_view *events = &load->profile->events;
    int found;

    *events = (struct ledger_events_view){ 0 };
    found = ledger_reader_events(&load->reader, events);
    if (load->profile->image_count > 1 || load->instant != NULL)
        events->offset = 0;
    return found < 0 ? found : 0;
}

static int load_sizes(struct ledger_load *load)
{
    struct profile *profile = load->profile;
    uint64_t sizes[LEDGER_SIZE_CLASSES];
    int found = ledger_reader_sizes(&load->reader, sizes);

    profile->has_sizes = found > 0 && load->instant == NULL &&
                         (profile->image_count == 1 || profile->has_sizes);
    for (unsigned i = 0; found > 0 && i < LEDGER_SIZE_CLASSES; i++)
        profile->sizes[i] += load->is_earlier ? -sizes[i] : sizes[i];
    return found < 0 ? found : 0;
}

static int load_all(struct ledger_load *load)
{
    static int (*const parts[])(struct ledger_load *) = {
        load_image,   load_history,  load_notices, load_sites,
        load_regions, load_timeline, load_sizes,   load_events,
    };
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof parts / sizeof parts[0]; i++)
        error = parts[i](load);
    if (error == 0)
        load_resident(load);
    for (uint32_t i = 0; error == 0 && i < LEDGER_COUNT_COUNT; i++) {
        uint64_t *sum = &load->profile->counts[i];
        uint64_t count =
            ledger_reader_count(&load->reader, (enum ledger_count)i);

        /* These two count in the whole recording, in each image. */
        if (i != LEDGER_COUNT_unrecorded_images &&
            i != LEDGER_COUNT_left_running)
            *sum += count;
        else if (count > *sum)
            *sum = count;
    }
    return error;
}

/* Free what loading needed, and return its result. */
static int finish(struct ledger_load *load, int error,
                  struct source_failure *failure)
{
    arena_destroy(load->arena);
    if (error == 0)
        return 0;
    source_fail(failure, ledger_error_why(error), ledger_error_advice(error));
    failure->has_offset = true;
    failure->offset = load->reader.error_offset;
    return -1;
}

static int begin(struct ledger_load *load, const unsigned char *bytes,
                 size_t size)
{
    int error = ledger_reader_open(&load->reader, bytes, size);

    load->arena = arena_create();
    if (error == LEDGER_E_OK)
        load_modules(load);
    return error;
}

int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure)
{
    struct ledger_load load = { .profile = profile };
    int error = begin(&load, bytes, size);

    if (error == LEDGER_E_OK)
        error = load_all(&load);
    return finish(&load, error, failure);
}

/* Find when the ledger was read: its last data point, or its end. */
static int find_time(struct ledger_load *load, uint64_t *ns)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample view;
    int found;

    *ns = load->reader.process.start_ns;
    while ((found = ledger_reader_next_sample(&load->reader, &cursor, &view)) >
           0) {
        if (view.ns > *ns)
            *ns = view.ns;
    }
    if (load->reader.process.end_ns > *ns)
        *ns = load->reader.process.end_ns;
    return found;
}

int load_ledger_earlier(const unsigned char *bytes, size_t size,
                        struct profile *profile, struct source_failure *failure)
{
    struct ledger_load load = { .profile = profile, .is_earlier = true };
    const struct ledger_process_view *process = &load.reader.process;
    const struct profile_image *image = profile->images;
    int error = begin(&load, bytes, size);

    if (error == LEDGER_E_OK &&
        (profile->image_count != 1 || image->pid != process->pid ||
         image->start_ticks != process->start_ticks ||
         image->start_ns != process->start_ns)) {
        finish(&load, 0, failure);
        return source_fail(failure, "recording of another process",
                           "name a snapshot of the same process");
    }
    profile->has_peaks = profile->has_map_peaks = false;
    profile->peak_bytes = profile->peak_most = profile->peak_with_maps =
        profile->peak_of_process = 0;
    if (error == LEDGER_E_OK)
        error = find_time(&load, &profile->since_ns);
    if (error == 0)
        error = load_sites(&load);
    if (error == 0)
        error = load_sizes(&load);
    return finish(&load, error, failure);
}
