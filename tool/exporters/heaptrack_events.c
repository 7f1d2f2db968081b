/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaptrack_events.c - make up events that lead to a profile's sums
 *
 * heaptrack calls a block temporary if its `-` has the number of the last `+`,
 * without another `-` in between. So other blocks are freed behind one of
 * another number: equal blocks alternate between two numbers.
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>

enum { EVENT_LIMIT = 200000000 }; /* lines; about 1 GB before packing */

struct blocks {
    uint64_t count;
    uint64_t bytes;
};

/* Division of a stack's blocks. */
struct plan {
    struct blocks short_lived;
    uint64_t temporary;      /* temporary ones of these */
    struct blocks kept;      /* live from the peak to the end */
    struct blocks peak_only; /* live at the peak only, without `last` */
    struct blocks last;      /* at most one of peak_only, temporary too */
    struct blocks end_only;  /* live at the end only */
    uint64_t peak_infos;     /* number of peak_only's first `a` line */
    uint64_t last_info;      /* number of last's `a` line */
};

static uint64_t at_least_0(int64_t value)
{
    return value < 0 ? 0 : (uint64_t)value;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * A profile does not tell which blocks of the peak live at the end. Assume as
 * many as possible, so that no more blocks are written than existed.
 */
static struct plan make_plan(const struct profile_amounts *amounts,
                             bool has_peaks)
{
    struct blocks peak = { has_peaks ? amounts->peak_blocks : 0,
                           has_peaks ? amounts->peak_bytes : 0 };
    struct blocks end = { at_least_0(amounts->live_blocks),
                          at_least_0(amounts->live_bytes) };
    struct plan plan = { .kept = { smaller(peak.count, end.count),
                                   smaller(peak.bytes, end.bytes) } };

    if (plan.kept.count > 0 &&
        ((peak.count == plan.kept.count && peak.bytes != plan.kept.bytes) ||
         (end.count == plan.kept.count && end.bytes != plan.kept.bytes))) {
        plan.kept.bytes =
            plan.kept.bytes / plan.kept.count * (plan.kept.count - 1);
        plan.kept.count--;
    }
    if (plan.kept.count == 0)
        plan.kept.bytes = 0;
    plan.peak_only = (struct blocks){ peak.count - plan.kept.count,
                                      peak.bytes - plan.kept.bytes };
    plan.end_only = (struct blocks){ end.count - plan.kept.count,
                                     end.bytes - plan.kept.bytes };
    plan.short_lived = (struct blocks){
        less(amounts->alloc_blocks, peak.count + end.count - plan.kept.count),
        less(amounts->alloc_bytes, peak.bytes + end.bytes - plan.kept.bytes)
    };
    plan.temporary = smaller(amounts->temporary_blocks, plan.short_lived.count);
    return plan;
}

static uint64_t declare(struct heaptrack_events *events, uint64_t size,
                        uint64_t call)
{
    fprintf(events->stream, "a %" PRIx64 " %" PRIx64 "\n", size, call);
    return events->infos++;
}

static void allocate(struct heaptrack_events *events, uint64_t info)
{
    fprintf(events->stream, "+ %" PRIx64 "\n", info);
    events->last = info + 1;
}

static void release(struct heaptrack_events *events, uint64_t info)
{
    fprintf(events->stream, "- %" PRIx64 "\n", info);
    events->last = 0;
}

static void release_held(struct heaptrack_events *events)
{
    if (events->held == 0 || events->held == events->last)
        return;
    release(events, events->held - 1);
    events->held = 0;
}

/* Write `count` blocks of one size that are allocated and freed, `temporary` of
   them at once. */
static void pass(struct heaptrack_events *events, uint64_t call, uint64_t size,
                 uint64_t count, uint64_t temporary)
{
    uint64_t first, second;

    if (count == 0)
        return;
    first = declare(events, size, call);
    second = declare(events, size, call);
    for (uint64_t i = 0; i < temporary; i++) {
        allocate(events, first);
        release(events, first);
    }
    for (count -= temporary; count >= 2; count -= 2) {
        allocate(events, first);
        allocate(events, second);
        release(events, first);
        release(events, second);
    }
    if (count == 0)
        return;
    allocate(events, first);
    release_held(events); /* so that it is not the last allocation */
    if (events->last == 0)
        release(events, first);
    else
        events->held = first + 1;
}

/* Write a share of the short-lived blocks, in two sizes that sum to their
   bytes. */
static void pass_all(struct heaptrack_events *events, uint64_t call,
                     const struct plan *plan, double share)
{
    uint64_t count = plan->short_lived.count;
    uint64_t size = count == 0 ? 0 : plan->short_lived.bytes / count;
    uint64_t larger = count == 0 ? 0 : plan->short_lived.bytes % count;
    uint64_t temporary = plan->temporary;

    if (share < 1) {
        uint64_t kept = (uint64_t)((double)count * share);

        events->left_out += count - kept;
        temporary = (uint64_t)((double)temporary * share);
        larger = (uint64_t)((double)larger * share);
        count = kept;
    }
    pass(events, call, size, count - larger,
         smaller(temporary, count - larger));
    pass(events, call, size + 1, larger, less(temporary, count - larger));
}

static void allocate_all(struct heaptrack_events *events, uint64_t call,
                         struct blocks blocks)
{
    uint64_t size = blocks.count == 0 ? 0 : blocks.bytes / blocks.count;
    uint64_t larger = blocks.count == 0 ? 0 : blocks.bytes % blocks.count;
    uint64_t info;

    if (blocks.count == 0)
        return;
    info = declare(events, size, call);
    declare(events, size + 1, call);
    for (uint64_t i = 0; i < blocks.count; i++)
        allocate(events, i < larger ? info + 1 : info);
}

static void release_all(struct heaptrack_events *events, uint64_t info,
                        struct blocks blocks)
{
    uint64_t larger = blocks.count == 0 ? 0 : blocks.bytes % blocks.count;

    for (uint64_t i = 0; i < blocks.count; i++)
        release(events, i < larger ? info + 1 : info);
}

static double share_of(const struct plan *plans, size_t count)
{
    double lines = 0;

    for (size_t i = 0; i < count; i++)
        lines += (double)plans[i].short_lived.count * 2;
    return lines <= EVENT_LIMIT ? 1 : EVENT_LIMIT / lines;
}

static void write_time(struct heaptrack_events *events, uint64_t ms)
{
    fprintf(events->stream, "c %" PRIx64 "\n", ms);
}

/* Choose the block to allocate last at the peak, of a stack with temporary
   blocks to spare: only this one may be freed at once. */
static void plan_last(struct plan *plans, size_t count,
                      const struct stacks *stacks)
{
    for (size_t i = 0; i < count; i++) {
        struct blocks *peak = &plans[i].peak_only;

        if (peak->count == 0 ||
            stacks->stacks[i].amounts.temporary_blocks <= plans[i].temporary)
            continue;
        plans[i].last = (struct blocks){ 1, peak->bytes / peak->count };
        peak->count--;
        peak->bytes -= plans[i].last.bytes;
        return;
    }
}

static void allocate_peak(struct heaptrack_events *events, struct plan *plans,
                          size_t count, const uint64_t *calls)
{
    for (size_t i = 0; i < count; i++) {
        plans[i].peak_infos = events->infos;
        allocate_all(events, calls[i], plans[i].peak_only);
    }
    release_held(events);
    for (size_t i = 0; i < count; i++)
        allocate_all(events, calls[i], plans[i].kept);
    for (size_t i = 0; i < count; i++) {
        plans[i].last_info = events->infos;
        allocate_all(events, calls[i], plans[i].last);
    }
}

uint64_t heaptrack_events_too_many(const struct profile *profile)
{
    const struct stacks *stacks = &profile->stacks;
    uint64_t sum = 0;

    for (size_t i = 0; i < stacks->stack_count; i++) {
        struct plan plan =
            make_plan(&stacks->stacks[i].amounts, profile->has_peaks);

        if (__builtin_add_overflow(sum, plan.kept.count, &sum) ||
            __builtin_add_overflow(sum, plan.peak_only.count, &sum) ||
            __builtin_add_overflow(sum, plan.end_only.count, &sum))
            return UINT64_MAX;
    }
    return sum > EVENT_LIMIT ? sum : 0;
}

void heaptrack_events_write(struct heaptrack_events *events,
                            const struct profile *profile,
                            const uint64_t *calls)
{
    const struct stacks *stacks = &profile->stacks;
    size_t count = stacks->stack_count;
    OWNED struct plan *plans = memory_zeroed(count + 1, sizeof *plans);
    uint64_t ms = profile->duration_ns / 1000000;
    double share;

    for (size_t i = 0; i < count; i++)
        plans[i] = make_plan(&stacks->stacks[i].amounts, profile->has_peaks);
    plan_last(plans, count, stacks);
    share = share_of(plans, count);
    write_time(events, 0);
    for (size_t i = 0; i < count; i++)
        pass_all(events, calls[i], &plans[i], share);
    release_held(events);
    write_time(events, ms / 2);
    allocate_peak(events, plans, count, calls);
    write_time(events, ms / 2 + 1);
    for (size_t i = 0; i < count; i++)
        release_all(events, plans[i].last_info, plans[i].last);
    for (size_t i = 0; i < count; i++)
        release_all(events, plans[i].peak_infos, plans[i].peak_only);
    for (size_t i = 0; i < count; i++)
        allocate_all(events, calls[i], plans[i].end_only);
    if (events->held != 0) /* no allocation in between: it was temporary */
        release(events, events->held - 1);
    write_time(events, ms);
}
