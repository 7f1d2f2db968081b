/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger.c - the accounts of one ledger, added to a profile
 *
 * Frames are loaded first: in the ledger of a running program a site that is
 * stored behind our back may name one that was not there, and is a stack that
 * ends there.
 */
#include "tool/model/sources/load_ledger.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_reader.h"
#include "format/ledger/ledger_stacks.h"
#include "format/ledger/ledger_timeline.h"
#include "tool/model/sources/load_lifetimes.h"
#include "tool/model/sources/load_stacks.h"

enum { RESIDENT_SINCE_MINOR = 5 };

struct loading {
    struct ledger_reader reader;
    struct profile *profile;
    struct loaded_modules modules;
    struct loaded_frames frames;
};

bool is_ledger(const void *bytes, size_t size)
{
    return size >= LEDGER_MAGIC_SIZE &&
           memcmp(bytes, LEDGER_MAGIC, LEDGER_MAGIC_SIZE) == 0;
}

/* Arguments joined by NUL, as a line. */
static char *copy_command_line(struct ledger_text_view text)
{
    char *line = malloc(text.length + 1);

    if (line == NULL)
        return NULL;
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
        .end_ns = process->end_ns,
        .control = process->control,
        .flags = process->flags,
        .writer_version = process->writer_version,
        .has_ended = process->ended != 0,
        .program = load_text(process->program),
        .command_line = copy_command_line(process->command_line),
    };
    int error = PROFILE_E_NO_MEMORY;

    if (image.program != NULL && image.command_line != NULL)
        error = profile_add_image(loading->profile, &image);
    free(image.program);
    free(image.command_line);
    return error;
}

/* The next of the texts that NULs divide, as a string; "" behind the last. */
static const char *next_text(char **rest)
{
    char *text = *rest;

    *rest += strlen(text) + 1;
    return text;
}

static int add_tag(struct loading *loading, struct profile_site *site,
                   const struct ledger_site_view *view)
{
    struct profile_label label = { .line = view->line, .pairs = "" };
    /* Two NULs more, should the ledger have left them out. */
    char *texts = calloc(1, view->place.length + 3);
    char *rest = texts;
    int error;

    if (texts == NULL)
        return PROFILE_E_NO_MEMORY;
    memcpy(texts, view->place.bytes, view->place.length);
    label.file = next_text(&rest);
    label.function = next_text(&rest);
    label.module = next_text(&rest);
    if (*label.module == '\0')
        label.module = NULL;
    site->label = &label;
    error = profile_add_site(loading->profile, site);
    free(texts);
    return error;
}

static int load_site(struct loading *loading,
                     const struct ledger_site_view *view)
{
    struct profile_site site = {
        .kind = view->kind,
        .amounts = {
            .inherited_blocks = view->inherited_blocks,
            .inherited_bytes = view->inherited_bytes,
            .alloc_blocks = view->counter.alloc_blocks,
            .alloc_bytes = view->counter.alloc_bytes,
            .free_blocks = view->counter.free_blocks,
            .free_bytes = view->counter.free_bytes,
            .peak_seen = view->peak_seen,
            .unseen_frees = view->unseen_frees,
        },
    };
    const struct loaded_module *module;
    struct lifetimes lifetimes;
    int error = load_site_extras(&loading->reader, loading->profile, view,
                                 &site.amounts);

    if (error == 0)
        error = load_lifetimes(&loading->reader, view, &lifetimes, &site);
    if (error == 0)
        error = loaded_modules_find(&loading->modules, view->module, &module);
    if (error < 0)
        return error;
    site.module = module->module;
    site.place = view->address - module->bias;
    site.is_unloaded = module->is_unloaded;
    site.frame = loaded_frames_find(&loading->frames, view->frame);
    if (view->place.length > 0)
        return add_tag(loading, &site, view);
    return profile_add_site(loading->profile, &site);
}

static int load_sites(struct loading *loading)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view view;
    int found = load_peak(&loading->reader, loading->profile);

    load_sampling(&loading->reader, loading->profile);
    if (found == 0 &&
        (loading->reader.process.flags & LEDGER_FLAG_STACKS) != 0) {
        found = profile_begin_stacks(loading->profile);
        if (found == 0)
            found = loaded_frames_load(&loading->frames, &loading->modules);
    }
    if (found < 0)
        return found;
    while ((found = ledger_reader_next_site(&loading->reader, &cursor, &view)) >
           0) {
        int error = load_site(loading, &view);

        if (error < 0)
            return error;
    }
    return found;
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
        int error = PROFILE_E_NO_MEMORY;

        if (notice.text != NULL)
            error = profile_add_notice(loading->profile, &notice);
        free(notice.text);
        if (error < 0)
            return error;
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
            .kind = view.kind,
            .pid = loading->reader.process.pid,
            .is_gone = view.is_gone != 0,
            .name = load_text(view.name),
            .address = view.address,
            .size = view.size,
            .block_size = view.block_size,
            .used = view.used,
            .peak = view.peak,
            .refused = view.refused,
            .timed_out = view.timed_out,
            .waiting = view.waiting,
            .longest_wait_ns = view.longest_wait_ns,
            .faults = view.faults,
            .knows_largest = view.knows_largest,
            .largest = view.largest,
        };
        const struct loaded_module *module;
        int error = region.name == NULL
                        ? PROFILE_E_NO_MEMORY
                        : loaded_modules_find_at(&loading->modules,
                                                 view.address, &module);

        if (error >= 0) {
            region.module = module->module;
            error = profile_add_region(loading->profile, &region);
        }
        free(region.name);
        if (error < 0)
            return error;
    }
    return found;
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

        if (timeline_add_sample(timeline, &sample) < 0)
            return PROFILE_E_NO_MEMORY;
    }
    if (found == 0 && process->ended != 0 &&
        timeline_end_image(timeline, image, process->end_ns) < 0)
        return PROFILE_E_NO_MEMORY;
    return found;
}

/* Several images were not read at one time, and share memory. */
static void load_resident(struct loading *loading)
{
    const struct ledger_reader *reader = &loading->reader;
    struct profile_resident *resident = &loading->profile->resident;

    *resident = (struct profile_resident){ 0 };
    if (loading->profile->image_count > 1)
        return;
    resident->is_known = ledger_reader_resident(reader, LEDGER_RESIDENT_LATEST,
                                                &resident->latest);
    resident->is_missing =
        !resident->is_known && reader->minor >= RESIDENT_SINCE_MINOR;
    if (!ledger_reader_resident(reader, LEDGER_RESIDENT_MOST, &resident->most))
        resident->most = (struct ledger_resident){ 0 };
}

static int load_sizes(struct loading *loading)
{
    struct profile *profile = loading->profile;
    uint64_t sizes[LEDGER_SIZE_CLASSES];
    int found = ledger_reader_sizes(&loading->reader, sizes);

    profile->has_sizes =
        found > 0 && (profile->image_count == 1 || profile->has_sizes);
    for (unsigned i = 0; found > 0 && i < LEDGER_SIZE_CLASSES; i++)
        profile->sizes[i] += sizes[i];
    return found < 0 ? found : 0;
}

static int load_all(struct loading *loading)
{
    int error = load_image(loading);

    if (error == 0)
        error = load_sites(loading);
    if (error == 0)
        error = load_notices(loading);
    if (error == 0)
        error = load_regions(loading);
    if (error == 0)
        error = load_timeline(loading);
    if (error == 0)
        error = load_sizes(loading);
    if (error == 0)
        load_resident(loading);
    for (uint32_t i = 0; error == 0 && i < LEDGER_COUNT_COUNT; i++) {
        uint64_t *sum = &loading->profile->counts[i];
        uint64_t count =
            ledger_reader_count(&loading->reader, (enum ledger_count)i);

        /* Each image has these of the whole recording. */
        if (i < LEDGER_COUNT_unrecorded_images)
            *sum += count;
        else if (count > *sum)
            *sum = count;
    }
    return error;
}

int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure)
{
    struct loading loading = { .profile = profile };
    int error = ledger_reader_open(&loading.reader, bytes, size);

    loading.modules =
        (struct loaded_modules){ &loading.reader, profile, NULL, 0 };
    if (error == LEDGER_E_OK)
        error = load_all(&loading);
    loaded_modules_free(&loading.modules);
    loaded_frames_free(&loading.frames);
    if (error == 0)
        return 0;
    if (error == PROFILE_E_NO_MEMORY)
        return source_no_memory(failure);
    source_fail(failure, ledger_error_why(error), ledger_error_advice(error));
    failure->has_offset = true;
    failure->offset = loading.reader.error_offset;
    return -1;
}
