/* SPDX-License-Identifier: Apache-2.0 */
/* peak_accounts.c - copying accounts at a peak; see peak_accounts.h */
#include "ledger/peak_accounts.h"

#include <time.h>

#include "ledger/ledger_writer.h"
#include "ledger/process.h"
#include "ledger/record.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

enum {
    FINE = 1000,
    POOR = 200,
    COARSE = 20,
    SITES_PER_WATCH = 8,
    LOOKS_IN_SANDBOX = 20000, /* where no clock may be asked */
};

/* Longer than copying takes; then whoever copies may not be there any more. */
#define PATIENCE_NS UINT64_C(10000000)

/* 0: not known. The C library would read a counter that may be forbidden. */
static uint64_t now_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    if (!sandbox_is_closed())
        raw_call(SYS_clock_gettime, clock, RAW_ARGUMENT(&now), 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What is live, also what nobody has added to the whole yet. */
struct heap_now {
    uint32_t users; /* threads that own a shard, or share one */
    int64_t live;
};

static struct heap_now read_heap(void)
{
    struct ledger_header *header = process.header;
    struct heap_now now = { 0, __atomic_load_n(&header->live_bytes,
                                               __ATOMIC_RELAXED) };

    for (uint32_t i = 0; i < LEDGER_TOTAL_CAPACITY; i++) {
        const struct ledger_total *total = &header->totals[i];

        if (__atomic_load_n(&total->is_used, __ATOMIC_RELAXED) == 0)
            continue;
        now.users++;
        now.live +=
            __atomic_load_n(&total->highest, __ATOMIC_RELAXED) -
            heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED));
    }
    return now;
}

/* Shards that anything was ever counted in. */
struct used_shards {
    uint32_t count;
    uint32_t numbers[SHARD_FIRST_CPU + SHARD_CPU_LIMIT];
};

static void find_used(struct used_shards *used)
{
    const struct ledger_total *totals = process.header->totals;

    *used = (struct used_shards){ .count = 1 }; /* 0 */
    for (uint32_t shard = 1; shard < process.header->shard_count; shard++) {
        if (totals[shard < LEDGER_TOTAL_CAPACITY ? shard : 0].is_used != 0)
            used->numbers[used->count++] = shard;
    }
}

/* Another thread may have freed what we have not seen it allocate. */
static uint64_t no_less_than_none(uint64_t live)
{
    return (int64_t)live < 0 ? 0 : live;
}

/* Sites come to many thousands: one shard after the other, page by page. */
static void add_shard(struct ledger_peak *peaks,
                      const struct ledger_counter *counters, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        peaks[i].blocks += counters[i].alloc_blocks - counters[i].free_blocks;
        peaks[i].bytes += counters[i].alloc_bytes - counters[i].free_bytes;
    }
}

/* The sites of one segment, from `id` on. */
static uint64_t copy_segment(uint32_t id, uint32_t count,
                             const struct used_shards *used)
{
    const struct ledger_site *sites = ledger_site_at(id);
    struct ledger_counter *first = ledger_counter_of(ledger_reference_of(id));
    struct ledger_peak *peaks = ledger_peak_at(id);
    uint64_t sum = 0;

    if (sites == NULL || first == NULL || peaks == NULL)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        peaks[i] = (struct ledger_peak){ sites[i].inherited_blocks,
                                         sites[i].inherited_bytes };
    for (uint32_t i = 0; i < used->count; i++)
        add_shard(peaks, account_in_shard(first, used->numbers[i]), count);
    for (uint32_t i = 0; i < count; i++) {
        peaks[i].blocks = no_less_than_none(peaks[i].blocks);
        peaks[i].bytes = no_less_than_none(peaks[i].bytes);
        if (sites[i].kind != LEDGER_SITE_HEAP)
            peaks[i] = (struct ledger_peak){ 0, 0 };
        sum += peaks[i].bytes;
    }
    return sum;
}

static uint64_t copy(uint32_t reference, uint64_t size)
{
    const struct ledger_site *freed = record_site_of(reference);
    uint32_t count =
        __atomic_load_n(&process.header->site_count, __ATOMIC_ACQUIRE);
    static struct used_shards used; /* P4; stacks of programs may be small */
    uint64_t sum = 0;

    find_used(&used);
    for (uint32_t id = 0; id <= count; id += LEDGER_SITES_PER_SEGMENT) {
        const struct ledger_site *sites = ledger_site_at(id);
        uint32_t left = count + 1 - id;

        sum += copy_segment(
            id,
            left < LEDGER_SITES_PER_SEGMENT ? left : LEDGER_SITES_PER_SEGMENT,
            &used);
        if (sites != NULL && freed >= sites &&
            freed < sites + LEDGER_SITES_PER_SEGMENT) {
            struct ledger_peak *peak = ledger_peak_at(id);

            if (peak == NULL)
                continue;
            peak += freed - sites;
            peak->blocks++;
            peak->bytes += size;
            sum += size;
        }
    }
    return sum;
}

/* P3 */
static bool may_copy(const struct peak_state *state, int64_t top)
{
    return state->watched >= process.header->site_count / SITES_PER_WATCH ||
           top > state->held + state->held / COARSE;
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* P5: of a poor copy, what there was at its end. */
static int64_t was_held(int64_t top, int64_t after)
{
    return after < top - top / POOR ? after : top;
}

/* Under the lock: what was true before may not be so any more. */
static void copy_or_not(struct peak_state *state, int64_t top,
                        uint32_t reference, uint64_t size)
{
    int64_t freed = (int64_t)size;

    if (read_heap().live + freed <= state->held) {
        state->top = state->passed;
    } else if (may_copy(state, top)) {
        process.header->peak_copied = copy(reference, size);
        process.header->peak_copied_ns = now_ns(CLOCK_REALTIME);
        state->held = was_held(top, read_heap().live + freed);
        state->passed = state->held;
        state->top = state->held;
        state->watched = 0;
    } else {
        state->passed = top + top / FINE;
    }
}

static void try_to_copy(struct peak_state *state, int64_t top,
                        uint32_t reference, uint64_t size)
{
    const void *nobody = NULL;

    if (!__atomic_compare_exchange_n(&state->copier, &nobody, &recorder_thread,
                                     false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    if (top > state->passed)
        copy_or_not(state, top, reference, size);
    state->given_up = NULL;
    __atomic_store_n(&state->copier, NULL, __ATOMIC_RELEASE);
}

/* Somebody else copies, as far as we know. */
static const void *find_copier(struct peak_state *state)
{
    const void *copier = __atomic_load_n(&state->copier, __ATOMIC_ACQUIRE);

    return copier == &recorder_thread || copier == state->given_up ? NULL
                                                                   : copier;
}

static bool is_patient(uint32_t looks, uint64_t *until)
{
    if (sandbox_is_closed())
        return looks < LOOKS_IN_SANDBOX;
    if (*until == 0)
        *until = now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    raw_yield();
    return now_ns(CLOCK_MONOTONIC) < *until;
}

/* P4 */
static void wait_for_copy(struct peak_state *state)
{
    const void *copier;
    uint64_t until = 0;

    for (uint32_t looks = 0; (copier = find_copier(state)) != NULL; looks++) {
        if (!is_patient(looks, &until)) {
            __atomic_store_n(&state->given_up, copier, __ATOMIC_RELAXED);
            return;
        }
    }
}

/* One of the totals is everybody's. */
static void look_at(struct ledger_total *total, int64_t rise_at,
                    int64_t fall_at)
{
    __atomic_store_n(&total->rise_at, rise_at, __ATOMIC_RELAXED);
    __atomic_store_n(&total->fall_at, fall_at, __ATOMIC_RELAXED);
}

static int64_t raise_top(struct peak_state *state, int64_t live)
{
    heap_total_raise(&state->top, live);
    return __atomic_load_n(&state->top, __ATOMIC_RELAXED);
}

void peak_accounts_watch(struct ledger_total *total, uint32_t reference,
                         uint64_t size)
{
    struct peak_state *state = &process.peak;
    int64_t below, top, step;
    struct heap_now now;

    if (reference != 0)
        wait_for_copy(state);
    below = within(
        heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED)), 0,
        LEDGER_TOTAL_BATCH);
    now = read_heap();
    top = raise_top(state, now.live + (int64_t)size);
    step = now.users == 1 ? 1 : within(top / FINE, 1, LEDGER_TOTAL_BATCH);
    state->watched++;
    if (top > state->passed && top - now.live >= step)
        try_to_copy(state, top, reference, size);
    step = within(step / now.users, 1, LEDGER_TOTAL_BATCH);
    if (state->top > state->passed)
        look_at(total, step, LEDGER_TOTAL_BATCH + below + step);
    else
        look_at(total,
                within((state->passed - now.live) / now.users, 1,
                       LEDGER_TOTAL_BATCH),
                2 * LEDGER_TOTAL_BATCH);
}
