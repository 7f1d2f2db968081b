/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_stacks.c - the frames of a ledger, added to a profile
 *
 * Frames are read in the order of their numbers: parents have lower ones, so
 * that they are known by then. What is deeper than any stack of a program that
 * runs is cut, for each of a million sites may lie above it.
 */
#include "tool/model/sources/load_stacks.h"

#include <stdlib.h>

#include "format/ledger/ledger_lifetimes.h"
#include "format/ledger/ledger_stacks.h"

enum { DEPTH_LIMIT = 65536 };

void loaded_frames_free(struct loaded_frames *frames)
{
    free(frames->frames);
    *frames = (struct loaded_frames){ 0 };
}

static struct loaded_frame find(const struct loaded_frames *frames,
                                uint32_t number)
{
    static const struct loaded_frame whole = { STACK_WHOLE, 0 };
    static const struct loaded_frame cut = { STACK_CUT, 0 };

    if (number == 0)
        return whole;
    return number < frames->limit && frames->frames[number].depth != 0
               ? frames->frames[number]
               : cut;
}

uint32_t loaded_frames_find(const struct loaded_frames *frames, uint32_t number)
{
    return find(frames, number).frame;
}

static int add_frame(struct loaded_frames *frames,
                     struct loaded_modules *modules, uint32_t number,
                     const struct ledger_frame_view *view)
{
    struct loaded_frame parent = find(frames, view->parent);
    struct profile_frame frame = { .parent = parent.frame };
    const struct loaded_module *module;
    struct profile_place place;
    int error = loaded_modules_find(modules, view->module, &module);

    if (error < 0)
        return error;
    if (parent.depth >= DEPTH_LIMIT)
        parent = find(frames, UINT32_MAX);
    frame.parent = parent.frame;
    place =
        (struct profile_place){ module->module, view->address - module->bias };
    if (stacks_add_place(&modules->profile->stacks, &place, &frame.place) < 0 ||
        stacks_add_frame(&modules->profile->stacks, &frame,
                         &frames->frames[number].frame) < 0)
        return PROFILE_E_NO_MEMORY;
    frames->frames[number].depth = parent.depth + 1;
    return 0;
}

int loaded_frames_load(struct loaded_frames *frames,
                       struct loaded_modules *modules)
{
    struct ledger_frame_view view;
    uint32_t number = 0;
    int found;

    frames->limit = ledger_reader_frame_limit(modules->reader);
    frames->frames = calloc((size_t)frames->limit + 1, sizeof *frames->frames);
    if (frames->frames == NULL)
        return PROFILE_E_NO_MEMORY;
    while ((found = ledger_reader_next_frame(modules->reader, frames->limit,
                                             &number, &view)) > 0) {
        int error = add_frame(frames, modules, number, &view);

        if (error < 0)
            return error;
    }
    return found;
}

int load_peak(struct ledger_reader *reader, struct profile *profile)
{
    bool is_only = profile->image_count == 1;
    struct ledger_heap_peak heap;
    struct ledger_peak peak;
    int has_peaks = ledger_reader_peak(reader, 0, &peak);

    ledger_reader_heap_peak(reader, &heap);
    profile->peak_bytes = is_only ? heap.bytes : 0;
    profile->peak_most = heap.sample_most > heap.bytes && is_only
                             ? heap.sample_most
                             : profile->peak_bytes;
    profile->peak_uncertainty = is_only ? heap.uncertainty : 0;
    profile->peak_copied = is_only ? heap.copied : 0;
    profile->has_peaks = is_only && heap.bytes != 0 &&
                         ledger_reader_sample_interval(reader) <= 1 &&
                         (heap.is_live || (has_peaks > 0 && heap.copied != 0));
    profile->peak_is_live = heap.is_live;
    profile->peak_is_difference = heap.is_difference;
    profile->has_temporary = (is_only || profile->has_temporary) &&
                             (ledger_reader_has_temporary(reader) ||
                              ledger_reader_sample_interval(reader) != 0);
    return has_peaks < 0 ? has_peaks : 0;
}

static int load_site_peak(struct ledger_reader *reader,
                          const struct profile *profile,
                          const struct ledger_site_view *site,
                          struct profile_amounts *amounts)
{
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
        found = ledger_reader_peak(reader, site->id, &peak);
    amounts->peak_blocks = peak.blocks + (is_difference ? live.blocks : 0);
    amounts->peak_bytes = peak.bytes + (is_difference ? live.bytes : 0);
    return found;
}

int load_site_extras(struct ledger_reader *reader,
                     const struct profile *profile,
                     const struct ledger_site_view *site,
                     struct profile_amounts *amounts)
{
    int found = load_site_peak(reader, profile, site, amounts);

    if (found >= 0 && profile->has_temporary)
        found = ledger_reader_temporary(reader, site->id,
                                        &amounts->temporary_blocks);
    return found < 0 ? found : 0;
}
