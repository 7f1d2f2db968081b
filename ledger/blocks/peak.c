/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.c - the bytes of each site at the peak; see peak.h
 *
 * A page of counters takes memory once a thread has counted there. Reading it
 * would also fill it, for each site and each shard, so a copy skips pages that
 * are not in memory; but swapped-out pages are not in memory either.
 *
 * This file is long because copies and deltas write the same segment, and a
 * second thread turns deltas into copies at any instant.
 */
#include "ledger/blocks/peak.h"

#include <string.h>
#include <time.h>

#include "ledger/shards/heap_total.h"
#include "ledger/space/ledger_writer.h"
#include "ports/posix/raw_calls.h"

enum { SHARD_LIMIT = SHARD_FIRST_CPU + SHARD_CPU_LIMIT };

struct used_shards {
    uint32_t count;
    uint32_t numbers[SHARD_LIMIT];
};

/* Return 0 for a negative number: another thread may have freed blocks whose
   allocation we have not seen. */
static uint64_t no_less_than_none(uint64_t live)
{
    return (int64_t)live < 0 ? 0 : live;
}

/* Find out which shards have memory for a segment's counters. */
static void find_pages(const struct ledger_counter *first, bool is_everywhere,
                       unsigned char *is_there)
{
    uint32_t count = ledger_space_shards();
    uintptr_t start = (uintptr_t)first & ~(uintptr_t)(LEDGER_PAGE - 1);

    if (is_everywhere || sandbox_is_closed() ||
        raw_call(SYS_mincore, (long)start, (long)count * LEDGER_PAGE,
                 RAW_ARGUMENT(is_there), 0, 0, 0) != 0)
        memset(is_there, 1, count);
}

static uint64_t finish(struct ledger_peak *peaks,
                       const struct ledger_site *sites, uint32_t count)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        peaks[i].blocks = no_less_than_none(peaks[i].blocks);
        peaks[i].bytes = no_less_than_none(peaks[i].bytes);
        if (sites[i].kind != LEDGER_SITE_HEAP)
            peaks[i] = (struct ledger_peak){ 0, 0 };
        sum += peaks[i].bytes;
    }
    return sum;
}

/* blocks and bytes at once */
typedef uint64_t pair __attribute__((vector_size(16), may_alias));

_Static_assert(sizeof(struct ledger_peak) == sizeof(pair) &&
                   sizeof(struct ledger_counter) == 2 * sizeof(pair),
               "allocated, freed");

/* Add one shard page by page, as there are many thousands of sites. Return the
   bytes in `peaks` so far, or -1 if some of them are negative. */
static int64_t add_shard(struct ledger_peak *peaks,
                         const struct ledger_counter *counters, uint32_t count)
{
    const pair *counted = (const pair *)(const void *)counters;
    pair *held = (pair *)(void *)peaks;
    pair sum = { 0, 0 }, signs = { 0, 0 };

    for (uint32_t i = 0; i < count; i++) {
        held[i] += counted[2 * i] - counted[2 * i + 1];
        sum += held[i];
        signs |= held[i];
    }
    return (int64_t)(signs[0] | signs[1]) < 0 ? -1 : (int64_t)sum[1];
}

static uint64_t copy_segment(uint32_t id, uint32_t count,
                             const struct used_shards *used, bool is_everywhere)
{
    static unsigned char is_there[SHARD_LIMIT];
    bool is_plain = ledger_peaks_are_plain(id);
    const struct ledger_site *sites = ledger_site_at(id);
    struct ledger_counter *first = ledger_counter_at(id);
    struct ledger_peak *peaks = ledger_peak_at(id);
    int64_t sum = -1;

    if (sites == NULL || first == NULL || peaks == NULL)
        return 0;
    for (uint32_t i = 0; i < count && !is_plain; i++) {
        peaks[i].blocks += sites[i].inherited_blocks;
        peaks[i].bytes += sites[i].inherited_bytes;
    }
    /* A lone shard's pages exist: its thread opened these sites. */
    if (used->count > 1)
        find_pages(first, is_everywhere, is_there);
    for (uint32_t i = 0; i < used->count; i++) {
        if (used->count == 1 || (is_there[used->numbers[i]] & 1) != 0)
            sum = add_shard(peaks, account_in_shard(first, used->numbers[i]),
                            count);
    }
    return is_plain && sum >= 0 ? (uint64_t)sum : finish(peaks, sites, count);
}

static uint32_t in_segment(uint32_t id)
{
    uint32_t left = ledger_site_count() + 1 - id;

    return left < LEDGER_SITES_PER_SEGMENT ? left : LEDGER_SITES_PER_SEGMENT;
}

static uint64_t add_all(const struct used_shards *used, bool is_everywhere)
{
    uint64_t sum = 0;

    for (uint32_t id = 0; id <= ledger_site_count();
         id += LEDGER_SITES_PER_SEGMENT)
        sum += copy_segment(id, in_segment(id), used, is_everywhere);
    return sum;
}

static void clear(void)
{
    for (uint32_t id = 0; id <= ledger_site_count();
         id += LEDGER_SITES_PER_SEGMENT) {
        struct ledger_peak *peaks = ledger_peak_at(id);

        if (peaks != NULL)
            memset(peaks, 0, in_segment(id) * sizeof *peaks);
    }
}

/* Count blocks being freed as still live; return their bytes. */
static uint64_t add_freed(const struct peak_change *freed)
{
    uint32_t id = freed->reference == 0 ? 0 : ledger_id_of(freed->reference);
    struct ledger_peak *peak = id == 0 ? NULL : ledger_peak_at(id);

    if (peak == NULL)
        return 0;
    peak->blocks -= (uint64_t)freed->blocks;
    peak->bytes -= (uint64_t)freed->bytes;
    return 0 - (uint64_t)freed->bytes;
}

/* Copy the bytes of each site and return their sum; `freed` is counted as still
   live. `is_everywhere`: read all pages. One thread at a time. */
static uint64_t copy_all(const struct peak_change *freed, bool is_everywhere)
{
    static struct used_shards used;
    const struct ledger_total *totals = process.header->totals;

    used.count = 0;
    for (uint32_t shard = 0; shard < ledger_space_shards(); shard++) {
        if (is_everywhere ||
            totals[shard < LEDGER_TOTAL_CAPACITY ? shard : 0].is_used != 0)
            used.numbers[used.count++] = shard;
    }
    clear();
    return add_all(&used, is_everywhere) + add_freed(freed);
}

enum {
    FINE = 1000,
    POOR = 200,
    COARSE = 100,
    SITES_PER_WATCH = 8,
    LOOKS_IN_SANDBOX = 20000, /* if no clock may be asked */
    YIELDS = 100, /* then it sleeps: yielding only helps equal priorities */
    PAUSE_NS = 50000,
};

/* Longer than a copy takes: after that the copying thread may have ended. */
#define PATIENCE_NS UINT64_C(100000000)

/* Return the time, or 0 in a sandbox: libc would read a counter that may be
   forbidden there. */
static uint64_t now_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    if (!sandbox_is_closed())
        raw_call(SYS_clock_gettime, clock, RAW_ARGUMENT(&now), 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/*
 * Copy, and check the sum. A wrong sum means counts in pages that seemed not to
 * be in memory: then read all pages, which take memory from then on. The sum
 * must fit the live bytes neither before nor after, since a copying thread may
 * lose its CPU meanwhile.
 */
static uint64_t copy(int64_t top, const struct peak_change *freed)
{
    int64_t before = heap_total_now(process.header).live;
    uint64_t sum = copy_all(freed, false);
    struct heap_now now = heap_total_now(process.header);
    int64_t found = (int64_t)sum + freed->bytes;
    int64_t noise =
        now.users == 1 ? 0 : top / POOR + now.users * LEDGER_TOTAL_BATCH;
    int64_t least = (now.live < before ? now.live : before) - noise;
    int64_t most = (now.live < before ? before : now.live) + noise;

    return within(found, least, most) == found ? sum : copy_all(freed, true);
}

/* Decide again under the lock: other threads may have changed everything. */
static void copy_or_not(struct peak_state *state, int64_t top,
                        const struct peak_change *freed)
{
    int64_t after;

    INVARIANT(P1, top > state->held);
    INVARIANT(P2, state->copier == &recorder_thread);

    if (heap_total_now(process.header).live - freed->bytes <= state->held) {
        state->top = state->passed;
    } else if (state->watched >= ledger_site_count() / SITES_PER_WATCH ||
               top > state->held + state->held / COARSE) {
        __atomic_store_n(&process.header->peak_noted, 0, __ATOMIC_RELEASE);
        process.header->peak_copied = copy(top, freed);
        process.header->peak_copied_ns = now_ns(CLOCK_REALTIME);
        after = heap_total_now(process.header).live - freed->bytes;
        /* A poor copy counts as the bytes that were live at its end. */
        state->held = after < top - top / POOR ? after : top;
        state->passed = state->top = state->held;
        state->watched = 0;
    } else {
        state->passed = top + top / FINE;
    }
}

static bool claim(void)
{
    const void *none = NULL;

    return __atomic_compare_exchange_n(&process.peak.copier, &none,
                                       &recorder_thread, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void release(void)
{
    process.peak.given_up = NULL;
    __atomic_store_n(&process.peak.copier, NULL, __ATOMIC_RELEASE);
}

/* Return another thread that copies; NULL: none, or one already given up. */
static const void *find_copier(struct peak_state *state)
{
    const void *copier = __atomic_load_n(&state->copier, __ATOMIC_ACQUIRE);

    return copier == &recorder_thread || copier == state->given_up ? NULL
                                                                   : copier;
}

static bool is_patient(uint32_t looks, uint64_t *until)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };

    if (sandbox_is_closed())
        return looks < LOOKS_IN_SANDBOX;
    if (*until == 0)
        *until = now_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    if (looks < YIELDS)
        raw_yield();
    else
        raw_call(SYS_nanosleep, RAW_ARGUMENT(&pause), 0, 0, 0, 0, 0);
    return now_ns(CLOCK_MONOTONIC) < *until;
}

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

/* Store when the total is checked next. Atomic: threads share one of the
   totals. */
static void set_next_check(struct ledger_total *total, int64_t rise_at,
                           int64_t fall_at)
{
    __atomic_store_n(&total->rise_at, rise_at, __ATOMIC_RELAXED);
    __atomic_store_n(&total->fall_at, fall_at, __ATOMIC_RELAXED);
}

/* Check the peak. `size`: bytes of the heap block freed just now, or 0. */
static void check(struct ledger_total *total, const struct peak_change *freed,
                  uint64_t size)
{
    struct peak_state *state = &process.peak;
    int64_t below, top, step;
    struct heap_now now;

    if (freed->reference != 0)
        wait_for_copy(state);
    now = heap_total_now(process.header);
    heap_total_flush(process.header, total, now, size);
    below = within(
        heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED)), 0,
        LEDGER_TOTAL_BATCH);
    WORD_RAISE(&state->top, now.live - freed->bytes);
    top = __atomic_load_n(&state->top, __ATOMIC_RELAXED);
    step = now.users == 1 ? 1 : within(top / FINE, 1, LEDGER_TOTAL_BATCH);
    state->watched++;
    if (top > state->passed && top - now.live >= step && claim()) {
        if (top > state->passed)
            copy_or_not(state, top, freed);
        release();
    }
    step = within(step / now.users, 1, LEDGER_TOTAL_BATCH);
    if (state->top > state->passed)
        set_next_check(total, step, LEDGER_TOTAL_BATCH + below + step);
    else
        set_next_check(total,
                       within((state->passed - now.live - below) / now.users, 1,
                              LEDGER_TOTAL_BATCH),
                       2 * LEDGER_TOTAL_BATCH);
}

static const struct peak_change nothing;

static struct peak_change change_of(enum shard_side side,
                                    struct reference block)
{
    int64_t blocks = side == SHARD_FREE ? -1 : 1;

    return (struct peak_change){ block.id, blocks,
                                 blocks * (int64_t)block.size };
}

void peak_watch(struct ledger_total *total, uint32_t reference, uint64_t size)
{
    const struct peak_change freed =
        change_of(SHARD_FREE, (struct reference){ reference, size });

    check(total, reference == 0 ? &nothing : &freed, size);
}

enum { DELTAS_AT_LEAST = 16, SITES_PER_DELTA = 8, PASSES_AT_MOST = 8 };

/* subtracted from `room` and `highest` while deltas are kept */
#define DOWN (INT64_C(1) << 61)

struct peak_deltas peak_deltas;

static void write_delta(struct peak_change change)
{
    uint32_t reference = change.reference, id;
    struct ledger_peak *peak = peak_deltas_known(reference);

    if (peak == NULL) {
        id = ledger_id_of(reference);
        peak = id == 0 ? NULL : ledger_peak_at(id);
        if (peak != NULL && (uintptr_t)peak >> PEAK_DELTAS_ADDRESS == 0)
            peak_deltas.known[reference % PEAK_DELTAS_KNOWN] =
                (uint64_t)(reference / PEAK_DELTAS_KNOWN)
                    << PEAK_DELTAS_ADDRESS |
                (uintptr_t)peak;
    }
    if (peak != NULL)
        peak_deltas_write(peak, change.blocks, change.bytes);
}

/* Zero the deltas, as the heap has passed the peak; includes deltas that a
   signal handler writes meanwhile. */
static void reset_deltas(void)
{
    int64_t *count = &process.peak.delta_count;
    int64_t held = *count;

    do {
        for (int64_t i = 0; i < held; i++)
            *peak_deltas.changed[i % PEAK_DELTAS_CAPACITY] =
                (struct ledger_peak){ 0, 0 };
    } while (!shard_replace_word(count, &held, 0));
}

/* Turn deltas into bytes held. Until that is done, the sites' bytes at the peak
   are unknown. */
static void add_up(const struct ledger_total *total)
{
    struct ledger_header *header = process.header;
    struct used_shards one = { 1, { (uint32_t)(total - header->totals) } };

    if (!claim())
        return;
    if (header->peak_noted != 0) {
        __atomic_store_n(&header->peak_noted, 0, __ATOMIC_RELEASE);
        /* Add the bytes held now, all in one shard, to the deltas. */
        __atomic_store_n(&header->peak_copied, add_all(&one, false),
                         __ATOMIC_RELEASE);
    }
    release();
}

/* Move `room` and `highest` down. The sum of live bytes stays the same, and is
   never higher meanwhile. */
static void move_down(struct ledger_total *total)
{
    int64_t highest = total->highest;

    set_next_check(total, HEAP_TOTAL_UNDER, 0);
    while (!shard_replace_word(&total->highest, &highest, -DOWN))
        ;
    shard_add_word(&total->room, 0 - (uint64_t)(highest + DOWN));
}

static bool is_down(const struct ledger_total *total)
{
    return total->rise_at == HEAP_TOTAL_UNDER;
}

static void move_up(struct ledger_total *total)
{
    int64_t room = total->room;

    while (!shard_replace_word(&total->room, &room, LEDGER_TOTAL_BATCH))
        ;
    __atomic_fetch_add(&process.header->live_bytes,
                       total->highest - heap_total_below(room),
                       __ATOMIC_RELAXED);
    total->highest = 0;
    set_next_check(total, 1, LEDGER_TOTAL_BATCH + 1);
}

static void end_by_second_thread(const struct ledger_total *total)
{
    process.peak.delta_limit = 0;
    add_up(total);
}

static struct heap_now now_of_one(const struct ledger_total *total)
{
    const struct ledger_header *header = process.header;

    return (struct heap_now){ 1, header->live_bytes + heap_total_held(total),
                              header->map_bytes };
}

/* Compute the room below which the nearer of the two peaks is passed. */
static void set_top_room(const struct ledger_total *total)
{
    struct heap_now now = now_of_one(total);
    int64_t more = process.peak.top - now.live;
    int64_t with_maps = process.header->peak_with_maps - now.live - now.maps;

    if (heap_total_has_maps(process.header) && with_maps < more)
        more = with_maps;
    process.peak.top_room = total->room - more;
}

static void begin_deltas(struct ledger_total *total, struct peak_change freed,
                         int64_t top)
{
    struct peak_state *state = &process.peak;
    struct ledger_header *header = process.header;

    if (!claim())
        return; /* this is a signal handler */
    if (header->peak_noted == 0) {
        __atomic_store_n(&header->peak_copied, 0, __ATOMIC_RELEASE);
        clear();
    }
    state->held = state->passed = state->top = top;
    state->delta_count = 0;
    state->passes = 0;
    state->delta_limit = within(ledger_site_count() / SITES_PER_DELTA,
                                DELTAS_AT_LEAST, PEAK_DELTAS_CAPACITY);
    INVARIANT(N2, state->delta_limit <= PEAK_DELTAS_CAPACITY);
    __atomic_store_n(&state->delta_total, total, __ATOMIC_SEQ_CST);
    move_down(total);
    set_top_room(total);
    write_delta(freed);
    header->peak_copied_ns = 0;
    __atomic_store_n(&header->peak_noted, (uint64_t)top, __ATOMIC_RELEASE);
    release();
    /* A second thread that came meanwhile may have missed the deltas. */
    if (__atomic_load_n(&state->is_shared, __ATOMIC_SEQ_CST) != 0)
        end_by_second_thread(total);
}

static void end_deltas(struct ledger_total *total)
{
    __atomic_store_n(&process.peak.delta_total, NULL, __ATOMIC_RELEASE);
    move_up(total);
}

/* Handle a new peak after one more block. Return false if only heap and maps
   together have a new peak. */
static bool on_new_peak(struct ledger_total *total)
{
    struct peak_state *state = &process.peak;
    struct heap_now now = now_of_one(total);
    bool is_passed = now.live > state->top;

    if (heap_total_has_maps(process.header))
        WORD_RAISE(&process.header->peak_with_maps, now.live + now.maps);
    if (is_passed) {
        if (state->delta_count != 0)
            reset_deltas();
        state->top = now.live;
    }
    set_top_room(total);
    if (is_passed && ++state->passes > PASSES_AT_MOST)
        end_deltas(total);
    return is_passed;
}

void peak_deltas_on_new_peak(struct ledger_total *total, struct reference made)
{
    if (!on_new_peak(total))
        write_delta(change_of(SHARD_ALLOC, made));
}

static void on_first_free_after_peak(void)
{
    struct peak_state *state = &process.peak;
    struct ledger_header *header = process.header;
    int64_t top = state->top;
    uint64_t before = header->peak_noted;

    WORD_RAISE(&header->peak_bytes, top);
    state->held = state->passed = top;
    state->passes = 0;
    if (before != 0) /* else another thread has come */
        __atomic_compare_exchange_n(&header->peak_noted, &before, (uint64_t)top,
                                    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void peak_deltas_on_first_free(struct reference freed)
{
    on_first_free_after_peak();
    write_delta(change_of(SHARD_FREE, freed));
}

/* Handle a change while deltas are kept. */
static void after_change(struct ledger_total *total, struct peak_change change)
{
    if (peak_deltas_is_new_peak(total) && on_new_peak(total))
        return;
    if (change.bytes < 0 && process.peak.passes != 0)
        on_first_free_after_peak();
    write_delta(change);
    if (peak_deltas_kept() == NULL) {
        add_up(total);
        end_deltas(total);
    }
}

/* Check the peak of the only thread. `size`: bytes of the heap block freed just
   now, or 0. */
static void check_alone(struct ledger_total *total, struct peak_change freed,
                        uint64_t size)
{
    struct ledger_header *header = process.header;
    struct heap_now now = now_of_one(total);
    int64_t top = now.live - freed.bytes;

    if (top > process.peak.passed && top > now.live) {
        heap_total_raise(header, now.live + (int64_t)size, now.maps);
        begin_deltas(total, freed, top);
        return;
    }
    heap_total_flush(header, total, now, size);
    if (top > process.peak.passed)
        set_next_check(total, 1, LEDGER_TOTAL_BATCH + 1);
    else
        set_next_check(total,
                       within(process.peak.passed - header->live_bytes, 1,
                              LEDGER_TOTAL_BATCH),
                       2 * LEDGER_TOTAL_BATCH);
}

/* Return true if this total keeps deltas: its held bytes are far below 0
   then. */
static bool keeps_deltas(struct ledger_total *total)
{
    if (!is_down(total))
        return false;
    if (__atomic_load_n(&process.peak.delta_total, __ATOMIC_ACQUIRE) == total)
        return true;
    move_up(total);
    return false;
}

static bool is_alone(const struct ledger_total *total)
{
    return process.peak.is_shared == 0 && total == process.peak.only;
}

bool peak_deltas_flush(struct ledger_total *total, enum shard_side side,
                       struct reference block)
{
    if (keeps_deltas(total))
        after_change(total, change_of(side, block));
    else if (!is_alone(total))
        return false;
    else if (side == SHARD_FREE)
        check_alone(total, change_of(side, block), block.size);
    else
        check_alone(total, nothing, 0);
    return true;
}

void peak_map(int64_t bytes)
{
    struct ledger_header *header = process.header;
    uint32_t shard = recorder_thread.own_shard;
    struct ledger_total *total = &header->totals[shard];
    struct heap_now now;

    if (process.is_sampled != 0)
        return;
    if (keeps_deltas(total)) {
        __atomic_fetch_add(&header->map_bytes, bytes, __ATOMIC_RELAXED);
        now = now_of_one(total);
        WORD_RAISE(&header->peak_with_maps, now.live + now.maps);
        set_top_room(total);
        return;
    }
    __atomic_store_n(&total->is_used, 1, __ATOMIC_RELAXED);
    heap_total_flush_all(header, total);
    __atomic_fetch_add(&header->map_bytes, bytes, __ATOMIC_RELAXED);
    if (is_alone(total))
        check_alone(total, nothing, 0);
    else
        check(total, &nothing, 0);
}

void peak_deltas_share(const struct ledger_total *total)
{
    struct peak_state *state = &process.peak;
    const struct ledger_total *none = NULL;

    if (total != NULL &&
        (__atomic_compare_exchange_n(&state->only, &none, total, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
         none == total))
        return;
    heap_total_share(process.header);
    __atomic_store_n(&state->is_shared, 1, __ATOMIC_SEQ_CST);
    total = __atomic_exchange_n(&state->delta_total, NULL, __ATOMIC_SEQ_CST);
    if (total != NULL)
        end_by_second_thread(total);
}
