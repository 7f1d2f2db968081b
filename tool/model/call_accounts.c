/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_accounts.c - who allocated what, out of calls of allocation functions
 *
 *   A1  each live block is in exactly one site's live amounts, its own
 *   A2  the sum's amounts are the sums over the sites, but for the peak
 *   A3  a site whose peak_number is not that of all has not changed since the
 *       last peak, so that what it holds is what it held then
 */
#include "tool/model/call_accounts.h"

#include <math.h>
#include <stdlib.h>

#include "tool/model/array.h"

enum {
    LATE_CALLS = 1 << 20, /* before a realloc that is told of late, at most */
};

static bool is_site(const void *array, uint32_t index, const void *caller)
{
    const struct call_site *sites = array;

    return sites[index].caller == *(const uint64_t *)caller;
}

/* The number of the caller's site, or -1 without memory. */
static int64_t find_site(struct call_accounts *accounts, uint64_t caller)
{
    struct index_slot *slot;

    if (index_table_reserve(&accounts->table) < 0)
        return -1;
    slot = index_table_find(&accounts->table, index_hash_one(caller), is_site,
                            accounts->sites, &caller);
    if (!slot->is_used) {
        struct call_site *sites =
            array_grow(accounts->sites, accounts->site_count, sizeof *sites);

        if (sites == NULL)
            return -1;
        accounts->sites = sites;
        sites[accounts->site_count] = (struct call_site){ .caller = caller };
        index_table_take(&accounts->table, slot, accounts->site_count++);
    }
    return slot->index;
}

static uint64_t live_bytes(const struct call_amounts *amounts)
{
    return amounts->alloc_bytes - amounts->free_bytes;
}

static uint64_t live_blocks(const struct call_amounts *amounts)
{
    return amounts->alloc_blocks - amounts->free_blocks;
}

/* Before a site changes, or at the end: it is still what it was at the peak. */
static void keep_peak(const struct call_accounts *accounts,
                      struct call_site *site)
{
    if (site->peak_number == accounts->peak_number)
        return;
    site->peak_number = accounts->peak_number;
    site->at_peak_blocks = live_blocks(&site->amounts);
    site->at_peak_bytes = live_bytes(&site->amounts);
}

static void add_alloc(struct call_amounts *amounts,
                      const struct live_block *block)
{
    amounts->alloc_blocks += block->blocks;
    amounts->alloc_bytes += block->size;
    if (live_bytes(amounts) > amounts->peak_bytes)
        amounts->peak_bytes = live_bytes(amounts);
}

static void add_free(struct call_amounts *amounts,
                     const struct live_block *block)
{
    amounts->free_blocks += block->blocks;
    amounts->free_bytes += block->size;
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

static void close_block(struct call_accounts *accounts,
                        const struct live_block *block)
{
    struct call_site *site = &accounts->sites[block->site];

    keep_peak(accounts, site);
    add_free(&site->amounts, block);
    add_free(&accounts->sum, block);
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
        accounts->sites[block.site].amounts.temporary += block.blocks;
        accounts->sum.temporary += block.blocks;
        newest->address = 0;
    }
}

static void note_overtaken(struct call_accounts *accounts,
                           const struct mem_trace_event *event)
{
    accounts->overtaken[accounts->overtaken_count++ % CALL_OVERTAKEN_SLOTS] =
        (struct call_overtaken){ event->result, accounts->events,
                                 event->thread };
    accounts->lost_frees++;
}

/*
 * Whether another thread has got the old block of a realloc before that was told
 * of, so that it is closed already. Text has no threads: there each such block
 * counts as lost and as foreign, and the sums are right all the same.
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

/* As format/lifetimes_layout.h says; numbers of events are as good as chance. */
static void weigh(const struct call_accounts *accounts,
                  struct live_block *block)
{
    double size = (double)block->size;
    double q = -expm1(size * log1p(-1 / (double)accounts->sample_interval));
    double random = ldexp(
        (double)(uint32_t)(accounts->samples * UINT32_C(2654435769)), -32);
    double blocks = 1 / q + random;

    block->blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
    block->size = (uint64_t)(size / q + random);
}

static int allocate(struct call_accounts *accounts, uint64_t size,
                    const struct mem_trace_event *event)
{
    int64_t site = find_site(accounts, event->caller);
    struct live_block block = { event->result, size, (uint32_t)site, 1 };
    struct live_block before;
    uint64_t peak = accounts->sum.peak_bytes;
    int found;

    if (site < 0)
        return -1;
    if (event->result == 0) {
        add_failure(&accounts->sites[site].amounts, size);
        add_failure(&accounts->sum, size);
        return 0;
    }
    if (accounts->sample_interval > 1 && size > 0)
        weigh(accounts, &block);
    accounts->samples++;
    found = live_blocks_add(&accounts->blocks, &block, &before);
    if (found < 0)
        return -1;
    if (found > 0) {
        note_overtaken(accounts, event);
        close_block(accounts, &before);
    }
    keep_peak(accounts, &accounts->sites[site]);
    add_alloc(&accounts->sites[site].amounts, &block);
    add_alloc(&accounts->sum, &block);
    if (accounts->sum.peak_bytes > peak) {
        accounts->peak_place = accounts->last;
        accounts->peak_number++;
    }
    *newest_of(accounts, event->thread) =
        (struct call_newest){ event->thread, event->result };
    return 0;
}

static int reallocate(struct call_accounts *accounts,
                      const struct mem_trace_event *event)
{
    if (event->result == 0 && event->size == 0 && event->pointer != 0) {
        release(accounts, event->pointer, event->thread);
        return 0;
    }
    if (event->result != 0 && event->pointer != 0 &&
        (event->result == event->pointer || !is_overtaken(accounts, event)))
        release(accounts, event->pointer, event->thread);
    return allocate(accounts, event->size, event);
}

/* Half of all addresses is more than any block has. */
static bool is_odd_size(const struct mem_trace_event *event, uint64_t *size)
{
    uint64_t count = event->op == MEM_TRACE_CALLOC ? event->count : 1;
    bool is_odd =
        __builtin_mul_overflow(event->size, count, size) || *size > INT64_MAX;

    if (is_odd && event->result == 0)
        *size = UINT64_MAX; /* who asks for so much is refused */
    return is_odd && event->result != 0;
}

static int add_call(struct call_accounts *accounts,
                    const struct mem_trace_event *event)
{
    uint64_t size;

    if (is_odd_size(event, &size)) {
        accounts->odd_sizes++;
        return 0;
    }
    switch (event->op) {
    case MEM_TRACE_MALLOC:
    case MEM_TRACE_CALLOC:
        return allocate(accounts, size, event);
    case MEM_TRACE_REALLOC:
        return reallocate(accounts, event);
    default:
        if (event->pointer != 0)
            release(accounts, event->pointer, event->thread);
        return 0;
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

int call_accounts_add(struct call_accounts *accounts,
                      const struct mem_trace_event *event)
{
    struct live_point point;

    if (event->op == MEM_TRACE_PROMOTE)
        return 0; /* it is no call */
    take_place(accounts, event);
    if (add_call(accounts, event) < 0)
        return -1;
    point = (struct live_point){
        .place = accounts->last,
        .live_bytes = call_accounts_live_bytes(accounts),
        .live_blocks = call_accounts_live_blocks(accounts),
        .total_bytes = accounts->sum.alloc_bytes,
    };
    live_line_add(&accounts->line, &point);
    return 0;
}

void call_accounts_finish(struct call_accounts *accounts)
{
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
    free(accounts->sites);
    *accounts = (struct call_accounts){ 0 };
}
