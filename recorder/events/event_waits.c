/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_waits.c - waiting for room in a ring, and for the ring that is shared
 *
 * A stuck tally record must not stop the program: a thread waits only while
 * events are taken out at least once a second. Where a filter forbids the call
 * to sleep, it spins for some milliseconds.
 */
#define _GNU_SOURCE
#include "recorder/events/event_rings.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"

enum {
    PATIENCE = 10,    /* waits without any progress ... */
    WAIT_MS = 100,    /* ... of so long */
    SPINS = 20000000, /* longer than tally record sleeps */
    WAKE_WORDS =
        EVENTS_RING_WORDS / 8, /* after so many, tally record is woken */
};

static void wake_reader(void)
{
    uint32_t *sleeping = &event_rings.session->events_sleeping;

    if (__atomic_load_n(sleeping, __ATOMIC_RELAXED) == 0 || sandbox_is_closed())
        return;
    __atomic_store_n(sleeping, 0, __ATOMIC_RELEASE);
    raw_call(SYS_futex, RAW_ARGUMENT(sleeping), FUTEX_WAKE, 1, 0, 0, 0);
}

/* Sleep until *word is not `value`, WAIT_MS at most. False: time is over. */
static bool sleep_on(uint32_t *word, uint32_t value, uint32_t *sleepers)
{
    static const struct timespec interval = { .tv_nsec = WAIT_MS * 1000000L };
    long result;

    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    result = raw_call(SYS_futex, RAW_ARGUMENT(word), FUTEX_WAIT, (long)value,
                      RAW_ARGUMENT(&interval), 0, 0);
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_SEQ_CST);
    return result != -ETIMEDOUT;
}

static uint64_t tail_of(const struct event_ring *own)
{
    return __atomic_load_n(&own->ring->tail, __ATOMIC_ACQUIRE);
}

/* Where sleeping may be forbidden. */
static bool spin_for_room(const struct event_ring *own, uint64_t tail)
{
    for (int i = 0; i < SPINS; i++) {
        if (tail_of(own) != tail)
            return true;
    }
    return false;
}

/* Wait as long as tally record takes events out, of any ring. */
static bool sleep_for_room(const struct event_ring *own, uint64_t tail)
{
    struct events_area *area = event_rings.area;

    for (int waits = 0; waits < PATIENCE;) {
        uint32_t room = __atomic_load_n(&area->room, __ATOMIC_SEQ_CST);

        if (tail_of(own) != tail)
            return true;
        if (__atomic_load_n(&area->is_closed, __ATOMIC_ACQUIRE) != 0)
            return false;
        wake_reader();
        waits = sleep_on(&area->room, room, &area->waiting) ? 0 : waits + 1;
    }
    return false;
}

/* Whether the tail has moved on from `tail`. */
static bool wait_for_room(struct event_ring *own, uint64_t tail)
{
    if (own->stuck_at == tail + 1) /* given up already */
        return false;
    if (sandbox_is_closed() ? spin_for_room(own, tail)
                            : sleep_for_room(own, tail))
        return true;
    own->stuck_at = tail + 1;
    return false;
}

bool event_rings_make_room(struct event_ring *own, uint64_t words)
{
    struct events_ring *ring = own->ring;

    for (;;) {
        uint64_t head = ring->head;
        uint64_t tail = tail_of(own);
        uint64_t end = (head / EVENTS_RING_WORDS + 1) * EVENTS_RING_WORDS;
        uint64_t full = tail + EVENTS_RING_WORDS;
        uint64_t next = head + WAKE_WORDS;
        bool is_at_end = end - head < words;

        if (full < (is_at_end ? end : head + words)) {
            if (!wait_for_room(own, tail))
                return false;
            continue;
        }
        wake_reader();
        if (is_at_end) {
            own->words[head % EVENTS_RING_WORDS] = EVENTS_RING_END;
            __atomic_store_n(&ring->head, end, __ATOMIC_RELEASE);
            continue;
        }
        if (next > end)
            next = end;
        if (next > full)
            next = full;
        own->limit = next - EVENTS_RECORD_WORDS + 1;
        return true;
    }
}

/* Until `held` has left the lock, for some milliseconds at most. */
static bool spin_while(uint32_t held)
{
    for (int i = 0; i < SPINS; i++) {
        if (__atomic_load_n(&event_rings.lock, __ATOMIC_RELAXED) != held)
            return true;
    }
    return false;
}

/* Where a filter forbids gettid: a number that no other thread has. */
static uint32_t who_am_i(void)
{
    return sandbox_is_closed()
               ? (uint32_t)((uintptr_t)&event_ring >> 3) | EVENT_RINGS_NO_NUMBER
               : (uint32_t)raw_gettid();
}

bool event_rings_lock(uint32_t *thread)
{
    const struct event_ring *shared = &event_rings.own[EVENTS_RING_SHARED];
    uint32_t self = who_am_i();

    *thread = self;
    if (shared->words == NULL)
        return false;
    for (int waits = 0; waits < PATIENCE;) {
        uint64_t head = __atomic_load_n(&shared->ring->head, __ATOMIC_RELAXED);
        uint32_t held = 0;

        if (__atomic_compare_exchange_n(&event_rings.lock, &held, self, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
        if (held == self)
            return false;
        if (sandbox_is_closed())
            waits += spin_while(held) ? 0 : PATIENCE;
        else if (sleep_on(&event_rings.lock, held, &event_rings.lock_waiting) ||
                 __atomic_load_n(&shared->ring->head, __ATOMIC_RELAXED) != head)
            waits = 0; /* others came first */
        else
            waits++;
    }
    return false;
}

void event_rings_unlock(void)
{
    __atomic_store_n(&event_rings.lock, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&event_rings.lock_waiting, __ATOMIC_SEQ_CST) != 0 &&
        !sandbox_is_closed())
        raw_call(SYS_futex, RAW_ARGUMENT(&event_rings.lock), FUTEX_WAKE, 1, 0,
                 0, 0);
}
