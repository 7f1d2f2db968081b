/* SPDX-License-Identifier: Apache-2.0 */
/* load_calls.c - see sources.h */
#include "tool/model/sources/sources.h"

struct calls_load {
    struct arena *arena; /* until the calls are loaded */
    const struct caller_modules *modules;
    struct profile *profile;
    struct call_summary *summary;
    uint32_t *numbers; /* by module: its number in the profile */
    uint32_t *frames;  /* by frame: its number in the profile */
};

static struct profile_place place_of(const struct calls_load *load,
                                     uint64_t caller)
{
    struct profile_place place = { caller, PROFILE_NO_MODULE };
    int module = caller_modules_find(load->modules, caller, &place.address);

    if (module >= 0)
        place.module = load->numbers[module];
    return place;
}

/* Load frames, parents first: they have lower numbers. */
static void load_frames(struct calls_load *load,
                        const struct call_accounts *calls)
{
    struct stacks *stacks = &load->profile->stacks;

    load->frames =
        arena_zeroed(load->arena, calls->frame_count + 1, sizeof *load->frames);
    if (calls->frame_count > 0)
        profile_begin_stacks(load->profile);
    for (size_t i = 1; i <= calls->frame_count; i++) {
        const struct call_frame *call = &calls->frames[i - 1];
        struct profile_place place = place_of(load, call->caller);
        struct profile_frame frame = { .parent = load->frames[call->parent] };

        load->frames[i] = STACK_CUT;
        if (call->caller == 0)
            continue;
        frame.place = stacks_add_place(stacks, &place);
        load->frames[i] = stacks_add_frame(stacks, &frame);
    }
}

static void load_site(struct calls_load *load, const struct call_site *call)
{
    struct profile_place place = place_of(load, call->caller);
    const struct call_amounts *amounts = &call->amounts;
    struct profile_site site = {
        .kind = LEDGER_SITE_HEAP,
        .module = place.module,
        .place = place.address,
        .frame = load->frames[call->frame],
        .amounts = {
            .alloc_blocks = amounts->alloc_blocks,
            .alloc_bytes = amounts->alloc_bytes,
            .free_blocks = amounts->free_blocks,
            .free_bytes = amounts->free_bytes,
            .peak_seen = amounts->peak_bytes,
            .peak_blocks = call->at_peak_blocks,
            .peak_bytes = call->at_peak_bytes,
            .temporary_blocks = amounts->temporary,
        },
    };
    struct lifetimes lifetimes = { 0 };
    struct lifetime_sum live;
    size_t row;

    /* All freed blocks are in one class, for their lifetimes are not known. */
    lifetimes.sums[LEDGER_LIFE_ALLOCATED] = call->all;
    lifetimes.sums[LEDGER_LIFE_COUNT - 1] = call->freed;
    live = lifetimes_live(&lifetimes);
    site.is_estimate = load->profile->sample_interval > 1;
    if (load->profile->sample_interval != 0)
        site.lifetimes = &lifetimes;
    site.amounts.error = amounts_error_of(&call->all, &live, &call->freed);
    profile_add_site(load->profile, &site);
    if (amounts->failed == 0)
        return;
    row = load->profile->site_count;
    while (--row > 0 && (load->profile->sites[row].module != site.module ||
                         load->profile->sites[row].place != site.place))
        continue;
    load->summary->failures[load->summary->failure_count++] =
        (struct call_failure){ (uint32_t)row, amounts->failed,
                               amounts->failed_largest };
}

static void load_line(struct profile *profile, const struct live_line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct live_point *point = &line->points[i];
        struct timeline_sample sample = {
            .ns = point->place,
            .live_bytes = (int64_t)point->live_bytes,
            .live_blocks = (int64_t)point->live_blocks,
            .total_bytes = point->total_bytes,
        };

        timeline_add_sample(&profile->timeline, &sample);
    }
}

static int compare_failures(const void *left, const void *right)
{
    const struct call_failure *a = left, *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->site < b->site ? -1 : a->site > b->site;
}

static void load_all(struct calls_load *load, const struct call_accounts *calls)
{
    struct profile *profile = load->profile;

    for (size_t i = 0; i < load->modules->count; i++)
        load->numbers[i] =
            profile_add_module(profile, &load->modules->items[i].file);
    load_frames(load, calls);
    for (size_t i = 0; i < calls->site_count; i++)
        load_site(load, &calls->sites[i]);
    load_line(profile, &calls->line);
    ARRAY_SORT(load->summary->failures, load->summary->failure_count,
               compare_failures);
    profile->has_peaks = profile->has_temporary = profile->sample_interval <= 1;
    profile->peak_bytes = load->summary->peak_bytes;
    profile->peak_most = profile->peak_copied = profile->peak_bytes;
    profile->peak_with_maps = profile->peak_bytes;
    profile->counts[LEDGER_COUNT_failed_allocations] += calls->sum.failed;
    profile->counts[LEDGER_COUNT_foreign_frees] += calls->foreign_frees;
    profile->counts[LEDGER_COUNT_lost_frees] += calls->lost_frees;
}

static struct call_summary *create_summary(struct arena *arena,
                                           const struct trace_sum *sum)
{
    const struct call_accounts *calls = &sum->calls;
    struct call_summary *summary = arena_zeroed(arena, 1, sizeof *summary);

    *summary = (struct call_summary){
        .events = calls->events,
        .has_times = calls->has_times,
        .first = calls->first,
        .last = calls->last,
        /*
         * The highest estimate is no estimate of the peak: sample_accounts.h.
         */
        .peak_bytes = calls->sample_interval > 1 ? 0 : calls->sum.peak_bytes,
        .peak_place = calls->peak_place,
        .temporary = calls->sum.temporary,
        .sample_interval = sum->program.sample_interval,
        .earlier_boots = calls->earlier_boots,
        .odd_sizes = calls->odd_sizes,
        .counts = sum->counts,
        .failures = arena_zeroed(arena, calls->site_count + 1,
                                 sizeof *summary->failures),
    };
    return summary;
}

void load_calls(const struct trace_sum *sum,
                const struct caller_modules *modules, struct profile *profile)
{
    struct arena *arena = arena_create();
    struct calls_load load = {
        .arena = arena,
        .modules = modules,
        .profile = profile,
        .summary = create_summary(profile->arena, sum),
        .numbers =
            arena_zeroed(arena, modules->count + 1, sizeof *load.numbers),
    };

    profile->sample_interval = sum->calls.sample_interval;
    load.summary->knows_files = modules->has_all;
    profile->calls = load.summary;
    load_all(&load, &sum->calls);
    arena_destroy(load.arena);
}
