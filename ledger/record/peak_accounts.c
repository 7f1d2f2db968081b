/* SPDX-License-Identifier: Apache-2.0 */
/* peak_accounts.c - copying accounts at a peak; see peak_accounts.h */
#include "ledger/record/peak_accounts.h"

#include <time.h>

#include "ledger/record/peak_copy.h"
#include "ledger/record/process.h"
#include "ledger/record/record.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

enum {
    FINE = 1000,
    POOR = 200,
    COARSE = 100,
    SITES_PER_WATCH = 8,
    LOOKS_IN_SANDBOX = 20000, /* where no clock may be asked */
    YIELDS = 100,             /* then it sleeps: yielding is to its equals */
    PAUSE_NS = 50000,
};

/* Longer than copying takes: after that the copying thread may have ended. */
#define PATIENCE_NS UINT64_C(100000000)

/* 0: not known. The C library would read a counter that may be forbidden. */
static uint64_t now_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    if (!sandbox_is_closed())
        raw_call(SYS_clock_gettime, clock, RAW_ARGUMENT(&now), 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* P3 */
static bool may_copy(const struct peak_state *state, int64_t top)
{
    return state->watched >= process.header->site_count / SITES_PER_WATCH ||
           top > state->held + state->held / COARSE;
}

/* P5: a poor copy counts as what was live at its end. */
static int64_t was_held(int64_t top, int64_t after)
{
    return after < top - top / POOR ? after : top;
}

static int64_t within(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/*
 * A sum that does not fit means counts in pages that seem not to be in memory:
 * read all pages, which take memory from then on. So the sum must fit neither
 * what was live before nor after: a copying thread may lose its CPU meanwhile.
 */
static uint64_t copy(int64_t top, uint32_t reference, uint64_t size)
{
    int64_t before = heap_total_now(process.header).live;
    uint64_t sum = peak_copy(reference, size, false);
    struct heap_now now = heap_total_now(process.header);
    int64_t found = (int64_t)(sum - size);
    int64_t noise =
        now.users == 1 ? 0 : top / POOR + now.users * LEDGER_TOTAL_BATCH;
    int64_t least = (now.live < before ? now.live : before) - noise;
    int64_t most = (now.live < before ? before : now.live) + noise;

    return within(found, least, most) == found
               ? sum
               : peak_copy(reference, size, true);
}

/* Under the lock: what was true before may not be so any more. */
static void copy_or_not(struct peak_state *state, int64_t top,
                        uint32_t reference, uint64_t size)
{
    int64_t freed = (int64_t)size;

    if (heap_total_now(process.header).live + freed <= state->held) {
        state->top = state->passed;
    } else if (may_copy(state, top)) {
        __atomic_store_n(&process.header->peak_noted, 0, __ATOMIC_RELEASE);
        process.header->peak_copied = copy(top, reference, size);
        process.header->peak_copied_ns = now_ns(CLOCK_REALTIME);
        state->held =
            was_held(top, heap_total_now(process.header).live + freed);
        state->passed = state->held;
        state->top = state->held;
        state->watched = 0;
    } else {
        state->passed = top + top / FINE;
    }
}

bool peak_accounts_claim(void)
{
    const void *nobody = NULL;

    return __atomic_compare_exchange_n(&process.peak.copier, &nobody,
                                       &recorder_thread, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void peak_accounts_release(void)
{
    process.peak.given_up = NULL;
    __atomic_store_n(&process.peak.copier, NULL, __ATOMIC_RELEASE);
}

static void try_to_copy(struct peak_state *state, int64_t top,
                        uint32_t reference, uint64_t size)
{
    if (!peak_accounts_claim())
        return;
    if (top > state->passed)
        copy_or_not(state, top, reference, size);
    peak_accounts_release();
}

/* Another thread that copies; NULL: none, or one already given up. */
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

/* Atomic: threads share one of the totals. */
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
    now = heap_total_now(process.header);
    heap_total_settle(process.header, total, now.live, size);
    below = within(
        heap_total_below(__atomic_load_n(&total->room, __ATOMIC_RELAXED)), 0,
        LEDGER_TOTAL_BATCH);
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
                within((state->passed - now.live - below) / now.users, 1,
                       LEDGER_TOTAL_BATCH),
                2 * LEDGER_TOTAL_BATCH);
}
