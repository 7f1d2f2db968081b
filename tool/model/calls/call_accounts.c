/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_accounts.c - memory by caller, from calls of allocation functions
 *
 *   A1  each live block is counted as live at exactly one site, its own
 *   A2  the sum's amounts, without the peak, are the sums over all sites
 *   A3  a site whose peak_number is older has not changed since the last peak,
 *       so that its live values are those of the peak
 *
 * This file is long because one call changes all of these.
 */
#include "tool/model/calls/calls.h"

#include <math.h>

enum {
    LATE_CALLS = 1 << 20, /* most calls between a realloc and its late record */
};

/* Add a frame to the stack of the next allocation; after a gap begin anew. */
static void add_frame(struct call_accounts *accounts,
                      const struct mem_trace_event *event)
{
    bool goes_on = event->count + 1 == accounts->frames_left;
    struct call_frame frame = { event->caller, goes_on ? accounts->frame : 0 };

    if (event->count > MEM_TRACE_DEEPEST)
        return;
    accounts->frame =
        INDEX_ADD(&accounts->frame_table, INDEX_KEY(struct call_frame, parent),
                  accounts->frames, accounts->frame_count, &frame) +
        1;
    accounts->frames_left = event->count;
}

static uint64_t live_bytes(const struct call_amounts *amounts)
{
    return amounts->alloc_bytes - amounts->free_bytes;
}

static uint64_t live_blocks(const struct call_amounts *amounts)
{
    return amounts->alloc_blocks - amounts->free_blocks;
}

/* Keep the site's live values of the peak, before it changes and at the end. */
static void keep_peak(const struct call_accounts *accounts,
                      struct call_site *site)
{
    if (site->peak_number == accounts->peak_number)
        return;
    INVARIANT(A3, site->peak_number < accounts->peak_number);
    site->peak_number = accounts->peak_number;
    site->at_peak_blocks = live_blocks(&site->amounts);
    site->at_peak_bytes = live_bytes(&site->amounts);
}

static void add_alloc(struct call_amounts *amounts, uint64_t blocks,
                      uint64_t bytes)
{
    amounts->alloc_blocks += blocks;
    amounts->alloc_bytes += bytes;
    if (live_bytes(amounts) > amounts->peak_bytes)
        amounts->peak_bytes = live_bytes(amounts);
}

static void add_free(struct call_amounts *amounts, uint64_t blocks,
                     uint64_t bytes)
{
    amounts->free_blocks += blocks;
    amounts->free_bytes += bytes;
}

static void add_failure(struct call_amounts *amounts, uint64_t size)
{
    amounts->failed++;
    if (size > amounts->failed_largest)
        amounts->failed_largest = size;
}

static struct call_newest *newest_of(struct call_accounts *accounts,
                                     uint32_t thread)
{
    return &accounts->newest[thread % CALL_THREAD_SLOTS];
}

/* Return the number of blocks that a block stands for. */
static uint64_t blocks_of(const struct call_accounts *accounts,
                          const struct live_block *block)
{
    return block->sample == 0 ? 1 : accounts->samples[block->sample - 1].blocks;
}

static void close_block(struct call_accounts *accounts,
                        const struct live_block *block)
{
    struct call_site *site = &accounts->sites[block->site];
    uint64_t blocks = blocks_of(accounts, block);

    keep_peak(accounts, site);
    /* Weights of samples are capped, so that their sums may wrap. */
    INVARIANT(A1, block->sample != 0 ||
                      (live_blocks(&site->amounts) > 0 &&
                       live_bytes(&site->amounts) >= block->size));
    add_free(&site->amounts, blocks, block->size);
    add_free(&accounts->sum, blocks, block->size);
    if (block->sample != 0)
        lifetime_sum_add(&site->freed, &accounts->samples[block->sample - 1]);
}

static void release(struct call_accounts *accounts, uint64_t address,
                    uint32_t thread)
{
    struct call_newest *newest = newest_of(accounts, thread);
    struct live_block block;

    if (!live_blocks_take(&accounts->blocks, address, &block)) {
        accounts->foreign_frees++;
        return;
    }
    close_block(accounts, &block);
    if (newest->address == address && newest->thread == thread) {
        accounts->sites[block.site].amounts.temporary++;
        accounts->sum.temporary++;
        newest->address = 0;
    }
}

/*
 * Return true if another thread got the old block of a realloc before the
 * realloc was recorded, so that the block is closed already. Text has no
 * threads: there such a block counts as lost and as foreign, and sums are
 * right.
 */
static bool is_overtaken(struct call_accounts *accounts,
                         const struct mem_trace_event *event)
{
    uint64_t count = accounts->overtaken_count;

    for (uint64_t i = 1; i <= CALL_OVERTAKEN_SLOTS && i <= count; i++) {
        struct call_overtaken *overtaken =
            &accounts->overtaken[(count - i) % CALL_OVERTAKEN_SLOTS];
        uint64_t age = accounts->events - overtaken->event;

        if (age > LATE_CALLS)
            return false;
        if (overtaken->address == event->pointer &&
            overtaken->thread != event->thread) {
            overtaken->address = 0;
            accounts->lost_frees--;
            return true;
        }
    }
    return false;
}

/* Weight a sample: format/ledger/segments_layout.h. A hash of its number
   rounds it instead of a random number. */
static void weigh(struct call_accounts *accounts, struct live_block *block)
{
    double size = block->size == 0 ? 1 : (double)block->size;
    double q = -expm1(size * log1p(-1 / (double)accounts->sample_interval));
    double spread = (1 - q) / (q * q), part = 1 / q - floor(1 / q);
    uint32_t number = (uint32_t)accounts->sample_count;
    double random = ldexp((double)(number * UINT32_C(2654435769)), -32);
    const struct lifetime_sum sample = {
        .samples = 1,
        .blocks = (uint64_t)fmin(1 / q + random, 0x1p40),
        .bytes = (uint64_t)fmin(size / q + random, 0x1p63),
        .seen = block->size,
        .blocks_variance = spread + part * (1 - part),
        .bytes_variance = size * size * spread,
    };

    if (number == UINT32_MAX)
        exit_out_of_memory();
    ARRAY_ADD(accounts->samples, accounts->sample_count, sample);
    block->sample = number + 1;
    block->size = sample.bytes;
}

static void allocate(struct call_accounts *accounts, uint64_t size,
                     const struct mem_trace_event *event)
{
    struct call_site called = { .caller = event->caller,
                                .frame = accounts->frames_left == 1
                                             ? accounts->frame
                                             : 0 };
    uint32_t site =
        INDEX_ADD(&accounts->table, INDEX_KEY(struct call_site, frame),
                  accounts->sites, accounts->site_count, &called);
    struct live_block block = { event->result, size, site, 0 };
    struct live_block before;
    uint64_t peak = accounts->sum.peak_bytes, blocks;

    accounts->frames_left = 0;
    if (event->result == 0) {
        add_failure(&accounts->sites[site].amounts, size);
        add_failure(&accounts->sum, size);
        return;
    }
    if (accounts->sample_interval != 0)
        weigh(accounts, &block);
    if (live_blocks_add(&accounts->blocks, &block, &before)) {
        accounts
            ->overtaken[accounts->overtaken_count++ % CALL_OVERTAKEN_SLOTS] =
            (struct call_overtaken){ event->result, accounts->events,
                                     event->thread };
        accounts->lost_frees++;
        close_block(accounts, &before);
    }
    keep_peak(accounts, &accounts->sites[site]);
    blocks = blocks_of(accounts, &block);
    add_alloc(&accounts->sites[site].amounts, blocks, block.size);
    add_alloc(&accounts->sum, blocks, block.size);
    if (block.sample != 0)
        lifetime_sum_add(&accounts->sites[site].all,
                         &accounts->samples[block.sample - 1]);
    if (accounts->sum.peak_bytes > peak) {
        accounts->peak_place = accounts->last;
        accounts->peak_number++;
    }
    *newest_of(accounts, event->thread) =
        (struct call_newest){ event->thread, event->result };
}

static void reallocate(struct call_accounts *accounts,
                       const struct mem_trace_event *event)
{
    if (event->result == 0 && event->size == 0 && event->pointer != 0) {
        release(accounts, event->pointer, event->thread);
        return;
    }
    if (event->result != 0 && event->pointer != 0 &&
        (event->result == event->pointer || !is_overtaken(accounts, event))) {
        newest_of(accounts, event->thread)->address = 0; /* not temporary */
        release(accounts, event->pointer, event->thread);
    }
    allocate(accounts, event->size, event);
}

static void add_call(struct call_accounts *accounts,
                     const struct mem_trace_event *event)
{
    uint64_t size, count = event->op == MEM_TRACE_CALLOC ? event->count : 1;

    /* No allocation takes half of the address space, nor do all together. */
    if (__builtin_mul_overflow(event->size, count, &size) ||
        size > INT64_MAX - accounts->sum.alloc_bytes) {
        if (event->result != 0) {
            accounts->odd_sizes++;
            return;
        }
        size = UINT64_MAX; /* such a request fails */
    }
    switch (event->op) {
    case MEM_TRACE_MALLOC:
    case MEM_TRACE_CALLOC:
        allocate(accounts, size, event);
        break;
    case MEM_TRACE_REALLOC:
        reallocate(accounts, event);
        break;
    default:
        if (event->pointer != 0)
            release(accounts, event->pointer, event->thread);
    }
}

static void take_place(struct call_accounts *accounts,
                       const struct mem_trace_event *event)
{
    uint64_t place = event->has_time ? event->time_ns : accounts->events;

    if (accounts->events == 0) {
        accounts->has_times = event->has_time;
        accounts->first = accounts->last = place;
    }
    if (place > accounts->last)
        accounts->last = place;
    accounts->events++;
}

static void merge_points(struct live_point *into, const struct live_point *next)
{
    if (next->live_bytes > into->live_bytes) {
        into->live_bytes = next->live_bytes;
        into->live_blocks = next->live_blocks;
    }
    into->total_bytes = next->total_bytes;
}

/* Add a point after an event; places never decrease. */
static void add_point(struct live_line *line, const struct live_point *point)
{
    if (line->count > 0 && line->filled < line->stride) {
        merge_points(&line->points[line->count - 1], point);
        line->filled++;
        return;
    }
    if (line->stride == 0)
        line->stride = 1;
    if (line->count == LIVE_LINE_POINTS) {
        for (size_t i = 0; i < line->count; i += 2) {
            line->points[i / 2] = line->points[i];
            merge_points(&line->points[i / 2], &line->points[i + 1]);
        }
        line->count /= 2;
        line->stride *= 2;
    }
    line->points[line->count++] = *point;
    line->filled = 1;
}

/* Forget all but the first `count` events, which came again. */
static void begin_again(struct call_accounts *accounts, unsigned count)
{
    const struct call_start start = accounts->start;
    uint64_t interval = accounts->sample_interval;
    uint64_t earlier = accounts->earlier_boots + 1;

    call_accounts_close(accounts);
    accounts->earlier_boots = earlier;
    accounts->sample_interval = interval;
    for (unsigned i = 0; i < count; i++)
        call_accounts_add(accounts, &start.events[i]);
}

void call_accounts_add(struct call_accounts *accounts,
                       const struct mem_trace_event *event)
{
    uint64_t lost_frees = accounts->lost_frees;
    struct live_point point;
    unsigned again;

    if (event->op == MEM_TRACE_PROMOTE)
        return; /* no call */
    if (event->op == MEM_TRACE_FRAME) {
        add_frame(accounts, event);
        return;
    }
    if (event->is_after_boot)
        begin_again(accounts, 0);
    take_place(accounts, event);
    add_call(accounts, event);
    again = event->has_time ? 0
                            : call_start_add(&accounts->start, event,
                                             accounts->lost_frees > lost_frees);
    if (again != 0) {
        begin_again(accounts, again);
        return;
    }
    point = (struct live_point){
        .place = accounts->last,
        .live_bytes = call_accounts_live_bytes(accounts),
        .live_blocks = call_accounts_live_blocks(accounts),
        .total_bytes = accounts->sum.alloc_bytes,
    };
    add_point(&accounts->line, &point);
}

/* Return true if the sum is that of the sites. */
static __attribute__((unused)) bool is_sum(const struct call_accounts *accounts)
{
    struct call_amounts left = accounts->sum;

    for (size_t i = 0; i < accounts->site_count; i++) {
        const struct call_amounts *site = &accounts->sites[i].amounts;

        left.alloc_blocks -= site->alloc_blocks;
        left.alloc_bytes -= site->alloc_bytes;
        left.free_blocks -= site->free_blocks;
        left.free_bytes -= site->free_bytes;
        left.temporary -= site->temporary;
        left.failed -= site->failed;
    }
    return (left.alloc_blocks | left.alloc_bytes | left.free_blocks |
            left.free_bytes | left.temporary | left.failed) == 0;
}

void call_accounts_finish(struct call_accounts *accounts)
{
    INVARIANT(A2, is_sum(accounts));
    for (size_t i = 0; i < accounts->site_count; i++)
        keep_peak(accounts, &accounts->sites[i]);
}

uint64_t call_accounts_live_bytes(const struct call_accounts *accounts)
{
    return live_bytes(&accounts->sum);
}

uint64_t call_accounts_live_blocks(const struct call_accounts *accounts)
{
    return live_blocks(&accounts->sum);
}

void call_accounts_close(struct call_accounts *accounts)
{
    live_blocks_close(&accounts->blocks);
    index_table_free(&accounts->table);
    index_table_free(&accounts->frame_table);
    free(accounts->frames);
    free(accounts->samples);
    free(accounts->sites);
    *accounts = (struct call_accounts){ 0 };
}
