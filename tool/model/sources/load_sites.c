/* SPDX-License-Identifier: Apache-2.0 */
/* load_sites.c - counters of sites; see load_ledger_parts.h */
#include <math.h>
#include <stdlib.h>

#include "tool/model/sources/load_ledger_parts.h"

enum { MAPS_SINCE_MINOR = 7 }; /* first version with temporary maps */

/* Load facts on the peak, optional columns and sampling from the header. */
static int load_head(struct ledger_load *load)
{
    struct ledger_reader *reader = &load->reader;
    struct profile *profile = load->profile;
    uint64_t interval = ledger_reader_sample_interval(reader);
    bool is_only = profile->image_count == 1;
    struct ledger_heap_peak heap;
    struct ledger_peak peak;
    int has_peaks = ledger_reader_peak(reader, 0, &peak);
    int found = ledger_reader_residency(reader, 0, &profile->unpinned);

    ledger_reader_heap_peak(reader, &heap);
    profile->peak_bytes = is_only ? heap.bytes : 0;
    profile->peak_with_maps = is_only && interval == 0 ? heap.with_maps : 0;
    profile->peak_of_process = is_only ? ledger_reader_process_peak(reader) : 0;
    profile->has_map_peaks = is_only && (heap.is_joint || heap.has_maps);
    profile->has_map_reading = is_only && heap.has_map_reading;
    profile->peak_is_joint = heap.is_joint;
    profile->peak_most = heap.sample_most > heap.bytes && is_only
                             ? heap.sample_most
                             : profile->peak_bytes;
    profile->peak_uncertainty = is_only ? heap.uncertainty : 0;
    profile->peak_copied = is_only ? heap.copied : 0;
    profile->has_peaks =
        is_only && interval <= 1 &&
        (heap.bytes == 0 && !heap.is_joint
             ? heap.has_maps
             : heap.is_live || (has_peaks > 0 && heap.copied != 0));
    profile->peak_is_live = heap.is_live;
    profile->peak_is_difference = heap.is_difference;
    profile->has_residency = is_only && found > 0;
    profile->has_temporary =
        (is_only || profile->has_temporary) &&
        (ledger_reader_has_temporary(reader) || interval != 0);
    profile->has_grown = (is_only || profile->has_grown) && interval == 0 &&
                         ledger_reader_has_grown(reader);
    profile->has_temporary_maps = (is_only || profile->has_temporary_maps) &&
                                  reader->minor >= MAPS_SINCE_MINOR;
    ledger_reader_sampling(reader, &profile->sampling);
    profile->sample_interval = profile->sampling.interval;
    return has_peaks < 0 ? has_peaks : found < 0 ? found : 0;
}

static int load_site_peak(struct ledger_load *load,
                          const struct ledger_site_view *site,
                          struct profile_amounts *amounts)
{
    const struct profile *profile = load->profile;
    const struct ledger_peak live = {
        site->inherited_blocks + site->counter.alloc_blocks -
            site->counter.free_blocks,
        site->inherited_bytes + site->counter.alloc_bytes -
            site->counter.free_bytes,
    };
    bool is_of_maps = site->kind == LEDGER_SITE_MAP && !profile->peak_is_joint;
    bool is_difference =
        is_of_maps || profile->peak_is_live || profile->peak_is_difference;
    struct ledger_map_peak_view of_maps;
    struct ledger_peak peak = { 0, 0 };
    int found = 0;

    if (site->kind >= LEDGER_SITE_FILE ||
        (site->kind == LEDGER_SITE_MAP ? !profile->has_map_peaks
                                       : !profile->has_peaks))
        return 0;
    if (is_of_maps) {
        found = ledger_reader_map_peak(&load->reader, site->id, &of_maps);
        peak = of_maps.more;
        amounts->most_resident = of_maps.resident;
    } else if (!profile->peak_is_live) {
        found = ledger_reader_peak(&load->reader, site->id, &peak);
    }
    amounts->peak_blocks = peak.blocks + (is_difference ? live.blocks : 0);
    amounts->peak_bytes = peak.bytes + (is_difference ? live.bytes : 0);
    return found < 0 ? found : 0;
}

/* Return the variance of an amount of which each unit adds `each`, at most. */
static float part_then(uint64_t amount, double each, double most)
{
    return (int64_t)amount > 0 ? (float)fmin((double)amount * each, most) : 0;
}

/*
 * Return the errors at an instant, without what samples met: blocks are as
 * uncertain as all on average, and a byte adds at most the interval. Which of
 * the freed blocks were inherited is not known, and does not matter: one
 * process has each sample once.
 */
static struct amounts_error errors_then(const struct ledger_load *load,
                                        const struct ledger_site_view *view,
                                        const struct lifetime_sum *whole,
                                        double a_block)
{
    const struct ledger_counter *then = &view->counter;
    double a_byte = (double)load->interval;
    double most =
        whole->bytes_variance + (double)view->inherited_bytes * a_byte;
    uint64_t blocks = view->inherited_blocks + then->alloc_blocks;
    uint64_t bytes = view->inherited_bytes + then->alloc_bytes;
    struct amounts_error error = { 0 };

    if (whole->blocks > 0)
        a_block = fmax(a_block, whole->blocks_variance / (double)whole->blocks);
    error.total_blocks.variance =
        part_then(then->alloc_blocks, a_block, INFINITY);
    error.total_bytes.variance =
        part_then(then->alloc_bytes, a_byte, whole->bytes_variance);
    error.live_blocks.variance =
        part_then(blocks - then->free_blocks, a_block, INFINITY);
    error.live_bytes.variance =
        part_then(bytes - then->free_bytes, a_byte, most);
    error.free_blocks = part_then(then->free_blocks, a_block, INFINITY);
    return error;
}

/* Return the errors at the end. Older ledgers lack the variances of inherited
   blocks, for which there is an upper bound. */
static struct amounts_error measure_errors(const struct ledger_load *load,
                                           const struct ledger_site_view *view,
                                           const struct lifetimes *lifetimes)
{
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    struct lifetime_sum live = lifetimes_live(lifetimes);
    struct lifetime_sum freed = lifetimes_freed(lifetimes);
    double older = (double)(int64_t)(view->counter.free_blocks - freed.blocks);
    double blocks = (double)view->inherited_blocks;
    double bytes = (double)view->inherited_bytes;
    double a_block = bytes > 0 ? blocks / bytes * (double)load->interval : 0;
    bool is_stored = load->reader.minor >= 11;
    struct amounts_error error;

    if (load->instant != NULL)
        return errors_then(load, view, all, a_block);
    error = amounts_error_of(all, &live, &freed);
    error.temporary = (float)lifetimes->sums[LEDGER_LIFE_FREED].blocks_variance;
    error.inherited_blocks = inherited_error(
        is_stored ? lifetimes->inherited_blocks_variance : blocks * a_block);
    error.inherited_bytes =
        inherited_error(is_stored ? lifetimes->inherited_bytes_variance
                                  : bytes * (double)load->interval);
    error.free_blocks += (float)(older > 0 ? older * a_block : 0);
    return error;
}

/* Load the lifetimes of a sampled site into *lifetimes, and its variances. */
static int load_lifetimes(struct ledger_load *load,
                          const struct ledger_site_view *view,
                          struct lifetimes *lifetimes,
                          struct profile_site *site)
{
    uint64_t interval = load->interval;
    struct ledger_lifetimes stored;
    int found;

    if (interval == 0 || view->kind != LEDGER_SITE_HEAP ||
        view->place.length != 0)
        return 0;
    found = ledger_reader_lifetimes(&load->reader, view->id, &stored);
    if (found < 0)
        return found;
    /* Sites that the program counts itself are exact. */
    site->is_estimate =
        interval > 1 && (found > 0 || view->inherited_blocks != 0);
    *lifetimes = lifetimes_of(&stored);
    if (found > 0)
        site->lifetimes = lifetimes;
    if (interval > 1)
        site->amounts.error = measure_errors(load, view, lifetimes);
    site->amounts.temporary_blocks = lifetimes->sums[LEDGER_LIFE_FREED].blocks;
    return 0;
}

/* Return the next of the texts that NULs separate; "" behind the last. */
static const char *next_text(char **rest)
{
    char *text = *rest;

    *rest += strlen(text) + 1;
    return text;
}

static uint32_t add_tag(struct ledger_load *load, struct profile_site *site,
                        const struct ledger_site_view *view)
{
    uint32_t row;
    struct profile_label label = { .line = view->line, .pairs = "" };
    /* Two NULs more, in case the ledger lacks them. */
    char *texts = memory_zeroed(1, view->place.length + 3);
    char *rest = texts;

    memcpy(texts, view->place.bytes, view->place.length);
    label.file = next_text(&rest);
    label.function = next_text(&rest);
    label.module = next_text(&rest);
    if (*label.module == '\0')
        label.module = NULL;
    site->label = &label;
    row = profile_add_site(load->profile, site);
    free(texts);
    return row;
}

static struct kept_error negated(struct kept_error error)
{
    return (struct kept_error){ -error.variance, -error.seen };
}

/* Negate earlier values; blocks live then become inherited. */
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
        .grown_blocks = -then.grown_blocks,
        .grown_bytes = -then.grown_bytes,
        .unseen_frees = -then.unseen_frees,
        .error = { .total_blocks = negated(then.error.total_blocks),
                   .total_bytes = negated(then.error.total_bytes),
                   .free_blocks = -then.error.free_blocks,
                   .temporary = -then.error.temporary },
    };
}

static int load_residency(struct ledger_load *load,
                          const struct ledger_site_view *site,
                          struct profile_amounts *amounts)
{
    struct ledger_residency *sum = &load->profile->pinned, found;
    int error = ledger_reader_residency(&load->reader, site->id, &found);

    amounts->resident_bytes = found.resident;
    amounts->resident_used = found.used;
    amounts->untouched_pages = (uint32_t)(found.untouched / LEDGER_PAGE);
    amounts->alone_pages = (uint32_t)(found.alone / LEDGER_PAGE);
    amounts->alone_blocks = (uint32_t)found.alone_blocks;
    if (site->kind != LEDGER_SITE_HEAP)
        return error;
    sum->resident += found.resident;
    sum->used += found.used;
    sum->alone += found.alone;
    sum->shared += found.shared;
    sum->swapped += found.swapped;
    sum->huge += found.huge;
    sum->untouched += found.untouched;
    return error;
}

static int load_site(struct ledger_load *load,
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
    struct history *history = &load->profile->history;
    const struct loaded_module *module;
    struct lifetimes lifetimes;
    uint32_t row;
    int error = load_site_peak(load, view, &site.amounts);

    if (error == 0 && load->profile->has_temporary)
        error = ledger_reader_temporary(&load->reader, view->id,
                                        &site.amounts.temporary_blocks);
    if (error >= 0 && load->profile->has_grown)
        error = ledger_reader_grown(&load->reader, view->id,
                                    &site.amounts.grown_blocks,
                                    &site.amounts.grown_bytes);
    if (error >= 0 && load->profile->has_residency && !load->is_earlier)
        error = load_residency(load, view, &site.amounts);
    if (error >= 0)
        error = load_lifetimes(load, view, &lifetimes, &site);
    if (error == 0)
        error = loaded_module_find(load, view->module, &module);
    if (error < 0)
        return error;
    if (load->is_earlier)
        take_away(&site);
    site.module = module->module;
    site.place = view->address - module->bias;
    site.is_unloaded = module->is_unloaded;
    site.frame = loaded_frame_find(load, view->frame).frame;
    row = view->place.length > 0 ? add_tag(load, &site, view)
                                 : profile_add_site(load->profile, &site);
    if (view->id < history->site_limit)
        history->rows[view->id] = row + 1;
    return 0;
}

/* Set a site's values at the instant; return false if it had none yet. */
static bool set_instant(const struct ledger_load *load,
                        struct ledger_site_view *view)
{
    view->counter = (struct ledger_counter){ 0 };
    if (view->id < load->instant->site_limit)
        memcpy(&view->counter, load->instant->held[view->id],
               sizeof view->counter);
    view->peak_seen = 0;
    return view->counter.alloc_blocks != 0 || view->inherited_blocks != 0;
}

/* Drop facts that an instant does not have, as the peak. */
static void load_instant(struct ledger_load *load)
{
    struct profile *profile = load->profile;
    const struct history *history = load->instant;
    struct profile_image *image = &profile->images[0];

    profile->peak_bytes = profile->peak_most = profile->peak_with_maps =
        profile->peak_of_process = 0;
    profile->has_peaks = profile->has_map_peaks = profile->has_temporary =
        profile->has_grown = profile->has_residency = false;
    image->has_ended =
        image->has_ended && history->chosen == history->count - 1;
    image->end_ns = history->instants[history->chosen].ns;
}

int load_history(struct ledger_load *load)
{
    struct history *history = &load->profile->history;
    struct ledger_history_view view;
    int found;

    if (load->profile->image_count > 1 ||
        history->wish.time == HISTORY_UNUSED) {
        history_free(history);
        return 0;
    }
    found = ledger_reader_history(&load->reader, &view);
    if (found > 0)
        found = history_load(history, &view, load->reader.process.start_ns);
    if (history->is_chosen)
        load->instant = history;
    return found;
}

int load_sites(struct ledger_load *load)
{
    struct ledger_sampling sampling = { 0 };
    struct ledger_cursor cursor = { 0 };
    struct ledger_site_view view;
    int found = load->is_earlier ? 0 : load_head(load);

    ledger_reader_sampling(&load->reader, &sampling);
    load->interval = sampling.interval;
    if (load->instant != NULL)
        load_instant(load);
    if (found == 0 && (load->reader.process.flags & LEDGER_FLAG_STACKS) != 0) {
        profile_begin_stacks(load->profile);
        found = load_frames(load);
    }
    if (found < 0)
        return found;
    while ((found = ledger_reader_next_site(&load->reader, &cursor, &view)) >
           0) {
        int error;

        load_lets_go(load, view.id);
        if (load->instant != NULL && !set_instant(load, &view))
            continue;
        error = load_site(load, &view);

        if (error < 0)
            return error;
    }
    return found;
}
