/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_ledger.c - the accounts of one ledger, added to a profile
 *
 * This file is long because every part of a ledger becomes one of a profile
 * here.
 */
#include "tool/model/sources/load_ledger.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_reader.h"
#include "tool/model/profile/profile.h"

enum {
    RESIDENT_SINCE_MINOR = 5,
    MAPS_SINCE_MINOR = 7, /* temporary ones */
    DEPTH_LIMIT = 65536, /* of a stack: more is cut, for each of a million sites
                            may lie above it */
};

struct loaded_module {
    uint32_t module; /* of the profile, or PROFILE_NO_MODULE */
    uint64_t bias;
    bool is_looked_up;
    bool is_unloaded;
    char *pair; /* of a label; NULL: it is a file */
};

struct loaded_frame {
    uint32_t frame; /* of the profile, STACK_CUT if it is not there */
    uint32_t depth;
};

/* Functions return 0 or an enum ledger_error. */
struct loading {
    struct ledger_reader reader;
    struct profile *profile;       /* its last image is the ledger's */
    bool is_earlier;               /* what it says is taken away */
    uint64_t interval;             /* between samples; 0: it is not sampled */
    struct loaded_module *modules; /* by the ledger's number, as are frames */
    uint32_t module_limit;
    struct loaded_frame *frames;
    uint32_t frame_limit;
    const struct history *instant; /* it is loaded as of that; NULL: as it is
                                      at the end */
};

/* As a string; what is behind a NUL in it is dropped. */
static char *load_text(struct ledger_text_view text)
{
    return text.length == 0
               ? memory_text("")
               : memory_got(strndup((const char *)text.bytes, text.length));
}

static int load_module(struct loading *loading, uint32_t index,
                       struct loaded_module *loaded)
{
    struct profile *profile = loading->profile;
    struct ledger_module_view view;
    struct profile_module module = { 0 };
    int error = ledger_reader_module(&loading->reader, index, &view);

    *loaded = (struct loaded_module){ .module = PROFILE_NO_MODULE,
                                      .is_looked_up = true };
    if (error <= 0)
        return error;
    if (view.is_label) {
        loaded->pair = load_text(view.path);
        return 0;
    }
    module.path = load_text(view.path);
    module.build_id_size = view.build_id_size;
    memcpy(module.build_id, view.build_id, view.build_id_size);
    module.bias = view.bias;
    module.size = view.end - view.start;
    module.start = view.start;
    module.is_executable =
        strcmp(module.path,
               profile->images[profile->image_count - 1].program) == 0;
    loaded->bias = view.bias;
    loaded->is_unloaded = view.state == LEDGER_MODULE_UNLOADED;
    loaded->module = profile_add_module(profile, &module);
    free(module.path);
    return 0;
}

/* What the ledger calls module `index`. */
static int find_module(struct loading *loading, uint32_t index,
                       const struct loaded_module **found)
{
    struct loaded_module *module = &loading->modules[index];

    *found = module;
    return module->is_looked_up ? 0 : load_module(loading, index, module);
}

/* The same of the module that lies at `address`; it may be none. */
static int find_module_at(struct loading *loading, uint64_t address,
                          const struct loaded_module **found)
{
    static const struct loaded_module none = { .module = PROFILE_NO_MODULE };

    *found = &none;
    for (uint32_t i = 0; i < loading->module_limit; i++) {
        struct ledger_module_view view;
        int error = ledger_reader_module(&loading->reader, i, &view);

        if (error < 0)
            return error;
        if (error > 0 && view.state != LEDGER_MODULE_UNLOADED &&
            address >= view.start && address < view.end)
            return find_module(loading, i, found);
    }
    return 0;
}

/* The frame of the ledger's number, or what stands in its place. */
static struct loaded_frame find_frame(const struct loading *loading,
                                      uint32_t number)
{
    static const struct loaded_frame whole = { STACK_WHOLE, 0 };
    static const struct loaded_frame cut = { STACK_CUT, 0 };

    if (number == 0)
        return whole;
    return number < loading->frame_limit && loading->frames[number].depth != 0
               ? loading->frames[number]
               : cut;
}

static int load_frame(struct loading *loading, uint32_t number,
                      const struct ledger_frame_view *view)
{
    struct stacks *stacks = &loading->profile->stacks;
    struct loaded_frame parent = find_frame(loading, view->parent);
    struct profile_frame frame;
    const struct loaded_module *module;
    struct profile_place place;
    int error = find_module(loading, view->module, &module);

    if (error < 0)
        return error;
    if (parent.depth >= DEPTH_LIMIT)
        parent = find_frame(loading, UINT32_MAX);
    frame.parent = parent.frame;
    if (module->pair != NULL)
        place = profile_place_of_pair(loading->profile, module->pair);
    else
        place = (struct profile_place){ view->address - module->bias,
                                        module->module };
    frame.place = stacks_add_place(stacks, &place);
    loading->frames[number] =
        (struct loaded_frame){ stacks_add_frame(stacks, &frame),
                               parent.depth + 1 };
    return 0;
}

/* In the order of their numbers: parents have lower ones. */
static int load_frames(struct loading *loading)
{
    uint32_t limit = ledger_reader_frame_limit(&loading->reader);
    struct ledger_frame_view view;
    uint32_t number = 0;
    int found;

    loading->frame_limit = limit;
    loading->frames = memory_zeroed((size_t)limit + 1, sizeof *loading->frames);
    while ((found = ledger_reader_next_frame(&loading->reader, limit, &number,
                                             &view)) > 0) {
        int error = load_frame(loading, number, &view);

        if (error < 0)
            return error;
    }
    return found;
}

/* What the header tells of the peak, of temporary blocks and of samples. */
static int load_head(struct loading *loading)
{
    struct ledger_reader *reader = &loading->reader;
    struct profile *profile = loading->profile;
    uint64_t interval = ledger_reader_sample_interval(reader);
    bool is_only = profile->image_count == 1;
    struct ledger_heap_peak heap;
    struct ledger_peak peak;
    int has_peaks = ledger_reader_peak(reader, 0, &peak);
    int found = ledger_reader_residency(reader, 0, &profile->unpinned);

    ledger_reader_heap_peak(reader, &heap);
    profile->peak_bytes = is_only ? heap.bytes : 0;
    profile->peak_most = heap.sample_most > heap.bytes && is_only
                             ? heap.sample_most
                             : profile->peak_bytes;
    profile->peak_uncertainty = is_only ? heap.uncertainty : 0;
    profile->peak_copied = is_only ? heap.copied : 0;
    profile->has_peaks = is_only && heap.bytes != 0 && interval <= 1 &&
                         (heap.is_live || (has_peaks > 0 && heap.copied != 0));
    profile->peak_is_live = heap.is_live;
    profile->peak_is_difference = heap.is_difference;
    profile->has_residency = is_only && found > 0;
    profile->has_temporary =
        (is_only || profile->has_temporary) &&
        (ledger_reader_has_temporary(reader) || interval != 0);
    profile->has_temporary_maps = (is_only || profile->has_temporary_maps) &&
                                  reader->minor >= MAPS_SINCE_MINOR;
    /* Of several images the one whose samples are furthest apart speaks for
       all. */
    if (interval > profile->sample_interval)
        profile->sample_interval = interval;
    return has_peaks < 0 ? has_peaks : found < 0 ? found : 0;
}

static int load_site_peak(struct loading *loading,
                          const struct ledger_site_view *site,
                          struct profile_amounts *amounts)
{
    const struct profile *profile = loading->profile;
    const struct ledger_peak live = {
        site->inherited_blocks + site->counter.alloc_blocks -
            site->counter.free_blocks,
        site->inherited_bytes + site->counter.alloc_bytes -
            site->counter.free_bytes,
    };
    bool is_difference = profile->peak_is_live || profile->peak_is_difference;
    struct ledger_peak peak = { 0, 0 };
    int found = 0;

    if (!profile->has_peaks || site->kind != LEDGER_SITE_HEAP)
        return 0;
    if (!profile->peak_is_live)
        found = ledger_reader_peak(&loading->reader, site->id, &peak);
    amounts->peak_blocks = peak.blocks + (is_difference ? live.blocks : 0);
    amounts->peak_bytes = peak.bytes + (is_difference ? live.bytes : 0);
    return found < 0 ? found : 0;
}

static struct amounts_variance
measure_variances(const struct ledger_site_view *view, uint64_t interval,
                  const struct lifetimes *lifetimes)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum live = lifetimes_live(lifetimes);
    struct amounts_variance variance = {
        .total_blocks = all->blocks_variance,
        .total_bytes = all->bytes_variance,
        .live_blocks = live.blocks_variance,
        .live_bytes = live.bytes_variance,
        .temporary = lifetimes->sums[LEDGER_LIFE_FREED].blocks_variance,
    };

    /* What a child inherited was sampled by its parent: at most this. */
    variance.live_bytes += (double)view->inherited_bytes * (double)interval;
    if (view->inherited_bytes > 0)
        variance.live_blocks +=
            (double)view->inherited_blocks * (double)view->inherited_blocks /
            (double)view->inherited_bytes * (double)interval;
    return variance;
}

/* Of a site of a sampled ledger; its lifetimes are stored at `lifetimes`. */
static int load_lifetimes(struct loading *loading,
                          const struct ledger_site_view *view,
                          struct lifetimes *lifetimes,
                          struct profile_site *site)
{
    uint64_t interval = loading->interval;
    struct ledger_lifetimes stored;
    int found;

    if (interval == 0 || view->kind != LEDGER_SITE_HEAP ||
        view->place.length != 0)
        return 0;
    found = ledger_reader_lifetimes(&loading->reader, view->id, &stored);
    if (found < 0)
        return found;
    /* What the program itself accounts for is exact. */
    site->is_estimate =
        interval > 1 && (found > 0 || view->inherited_blocks != 0);
    *lifetimes = lifetimes_of(&stored);
    if (found > 0)
        site->lifetimes = lifetimes;
    if (interval > 1)
        site->amounts.variance = measure_variances(view, interval, lifetimes);
    site->amounts.temporary_blocks = lifetimes->sums[LEDGER_LIFE_FREED].blocks;
    return 0;
}

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
        .writer_version = process->writer_version,
        .has_ended = process->ended != 0,
        .program = load_text(process->program),
        .command_line = copy_command_line(process->command_line),
    };

    profile_add_image(loading->profile, &image);
    free(image.program);
    free(image.command_line);
    return 0;
}

/* The next of the texts that NULs divide, as a string; "" behind the last. */
static const char *next_text(char **rest)
{
    char *text = *rest;

    *rest += strlen(text) + 1;
    return text;
}

static uint32_t add_tag(struct loading *loading, struct profile_site *site,
                        const struct ledger_site_view *view)
{
    uint32_t row;
    struct profile_label label = { .line = view->line, .pairs = "" };
    /* Two NULs more, should the ledger have left them out. */
    char *texts = memory_zeroed(1, view->place.length + 3);
    char *rest = texts;

    memcpy(texts, view->place.bytes, view->place.length);
    label.file = next_text(&rest);
    label.function = next_text(&rest);
    label.module = next_text(&rest);
    if (*label.module == '\0')
        label.module = NULL;
    site->label = &label;
    row = profile_add_site(loading->profile, site);
    free(texts);
    return row;
}

/* What lives is as of now, and what lived then as if inherited. */
static void take_away(struct profile_site *site)
{
    const struct profile_amounts then = site->amounts;

    site->lifetimes = NULL;
    site->amounts = (struct profile_amounts){
        .inherited_blocks = then.alloc_blocks - then.free_blocks,
        .inherited_bytes = then.alloc_bytes - then.free_bytes,
        .alloc_blocks = -then.alloc_blocks,
        .alloc_bytes = -then.alloc_bytes,
        .free_blocks = -then.free_blocks,
        .free_bytes = -then.free_bytes,
        .temporary_blocks = -then.temporary_blocks,
        .unseen_frees = -then.unseen_frees,
        .variance = { .total_blocks = -then.variance.total_blocks,
                      .total_bytes = -then.variance.total_bytes,
                      .temporary = -then.variance.temporary },
    };
}

static int load_residency(struct loading *loading, uint32_t site,
                          struct profile_amounts *amounts)
{
    struct ledger_residency *sum = &loading->profile->pinned, found;
    int error = ledger_reader_residency(&loading->reader, site, &found);

    amounts->resident_bytes = found.resident;
    amounts->resident_used = found.used;
    amounts->alone_bytes = found.alone;
    amounts->alone_blocks = found.alone_blocks;
    sum->resident += found.resident;
    sum->used += found.used;
    sum->alone += found.alone;
    sum->shared += found.shared;
    sum->swapped += found.swapped;
    sum->huge += found.huge;
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
    struct history_site *changed =
        history_find(&loading->profile->history, view->id);
    const struct loaded_module *module;
    struct lifetimes lifetimes;
    uint32_t row;
    int error = load_site_peak(loading, view, &site.amounts);

    if (error == 0 && loading->profile->has_temporary)
        error = ledger_reader_temporary(&loading->reader, view->id,
                                        &site.amounts.temporary_blocks);
    if (error >= 0 && loading->profile->has_residency)
        error = load_residency(loading, view->id, &site.amounts);
    if (error >= 0)
        error = load_lifetimes(loading, view, &lifetimes, &site);
    if (error == 0)
        error = find_module(loading, view->module, &module);
    if (error < 0)
        return error;
    if (loading->is_earlier)
        take_away(&site);
    site.module = module->module;
    site.place = view->address - module->bias;
    site.is_unloaded = module->is_unloaded;
    site.frame = find_frame(loading, view->frame).frame;
    row = view->place.length > 0 ? add_tag(loading, &site, view)
                                 : profile_add_site(loading->profile, &site);
    if (changed != NULL)
        changed->row = row;
    return 0;
}

/* What it held at the instant; false: it was not there yet. */
static bool set_instant(const struct loading *loading,
                        struct ledger_site_view *view)
{
    const struct history_site *site = history_find(loading->instant, view->id);

    view->counter = (struct ledger_counter){ 0 };
    if (site != NULL)
        memcpy(&view->counter, site->held, sizeof view->counter);
    view->peak_seen = 0;
    return view->counter.alloc_blocks != 0 || view->inherited_blocks != 0;
}

/* Of peaks, temporary blocks and samples an instant does not tell. */
static void load_instant(struct loading *loading)
{
    struct profile *profile = loading->profile;
    const struct history *history = loading->instant;
    struct profile_image *image = &profile->images[0];

    profile->peak_bytes = profile->peak_most = 0;
    profile->has_peaks = profile->has_temporary = false;
    image->has_ended =
        image->has_ended && history->chosen == history->count - 1;
    image->end_ns = history->instants[history->chosen].ns;
}

static int load_history(struct loading *loading)
{
    struct history *history = &loading->profile->history;
    struct ledger_history_view view;
    int found;

    if (loading->profile->image_count > 1) {
        history_free(history);
        return 0;
    }
    found = ledger_reader_history(&loading->reader, &view);
    if (found > 0)
        found = history_load(history, &view, loading->reader.process.start_ns);
    if (history->is_chosen)
        loading->instant = history;
    return found;
}

static int load_sites(struct loading *loading)
{
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view view;
    int found = loading->is_earlier ? 0 : load_head(loading);

    loading->interval = ledger_reader_sample_interval(&loading->reader);
    if (loading->instant != NULL)
        load_instant(loading);
    if (found == 0 &&
        (loading->reader.process.flags & LEDGER_FLAG_STACKS) != 0) {
        profile_begin_stacks(loading->profile);
        found = load_frames(loading);
    }
    if (found < 0)
        return found;
    while ((found = ledger_reader_next_site(&loading->reader, &cursor, &view)) >
           0) {
        int error;

        if (loading->instant != NULL && !set_instant(loading, &view))
            continue;
        error = load_site(loading, &view);

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
        int error = find_module_at(loading, view.address, &module);

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
        load_regions, load_timeline, load_sizes,
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
    for (uint32_t i = 0; i < loading->module_limit; i++)
        free(loading->modules[i].pair);
    free(loading->modules);
    free(loading->frames);
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

    if (error == LEDGER_E_OK) {
        loading->module_limit = ledger_reader_module_limit(&loading->reader);
        loading->modules =
            memory_zeroed(loading->module_limit, sizeof *loading->modules);
    }
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
    profile->peak_bytes = profile->peak_most = 0;
    if (error == LEDGER_E_OK)
        error = find_time(&loading, &profile->since_ns);
    if (error == 0)
        error = load_sites(&loading);
    if (error == 0)
        error = load_sizes(&loading);
    return finish(&loading, error, failure);
}
