/* SPDX-License-Identifier: Apache-2.0 */
/* event_rings.c - mapping rings and taking them; event_waits.c has the rest */
#define _GNU_SOURCE
#include "recorder/events/event_rings.h"

#include <signal.h>
#include <sys/mman.h>

#include "ledger/record/attach.h"
#include "ledger/space/process.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/sandbox.h"
#include "ports/posix/tick_clock.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* Events after which a thread without a ring looks for one again. */
enum { CROWD_ROUND = 1024 };

struct event_rings event_rings;

static struct event_ring nobodys;
static struct event_ring crowds; /* of threads that found no free ring */

_Thread_local struct event_ring *event_ring = &nobodys;

/* Where the area is mapped: ordinary memory, which a forked child keeps. */
static void *mapped_area;
static size_t mapped_size;
static void *mapped_session;

static size_t area_size(uint32_t ring_count)
{
    return EVENTS_AREA_HEAD + ring_count * (size_t)EVENTS_RING_BYTES;
}

static uint64_t *words_of(uint32_t ring)
{
    char *area = (char *)event_rings.area;

    return (uint64_t *)(void *)(area + EVENTS_AREA_HEAD +
                                ring * (size_t)EVENTS_RING_BYTES);
}

static void *map(int fd, uint64_t offset, size_t size, void *place)
{
    int fixed = place == NULL ? 0 : MAP_FIXED;
    long at = raw_mmap(place, size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | fixed, fd, offset);
    void *mapped = (void *)(uintptr_t)at;

    if (raw_failed(at))
        return NULL;
    pages_advise(mapped, size);
    if (pages_are_locked())
        pages_unlock(mapped, size);
    return mapped;
}

/*
 * A forked child maps its own area over its parent's. A handler that forked and
 * goes on to write then writes there, and does not publish.
 */
static bool map_area(const struct session_claim *claim)
{
    uint64_t offset = claim->offset + EVENTS_AREA_OFFSET;
    uint32_t count = EVENTS_RING_COUNT;

    if (mapped_area != NULL)
        return map(claim->fd, offset, mapped_size, mapped_area) != NULL;
    mapped_session = map(claim->fd, 0, LEDGER_PAGE, NULL);
    if (mapped_session == NULL)
        return false;
    /* Fewer where address space is limited. */
    for (; count >= 2 && mapped_area == NULL; count /= 2) {
        mapped_size = area_size(count);
        mapped_area = map(claim->fd, offset, mapped_size, NULL);
    }
    return mapped_area != NULL;
}

static uint32_t choose_clock(uint32_t wanted)
{
    return wanted == EVENTS_CLOCK_TICKS && !tick_clock_is_readable()
               ? EVENTS_CLOCK_NONE
               : wanted;
}

static bool is_touchable(uint32_t ring)
{
    return ledger_space_can_touch(words_of(ring), EVENTS_RING_BYTES);
}

static void set_up(struct event_ring *own, uint32_t ring)
{
    own->ring = &event_rings.area->rings[ring];
    own->limit = 0; /* so that the first record asks for room */
    __atomic_store_n(&own->words, words_of(ring), __ATOMIC_RELEASE);
}

void events_open(const struct session_claim *claim)
{
    struct events_area *area;

    if (claim->events_clock == EVENTS_CLOCK_NONE ||
        raw_madvise(&event_rings, sizeof event_rings, MADV_WIPEONFORK) != 0)
        return;
    pages_advise(&event_rings, sizeof event_rings);
    if (!map_area(claim) ||
        !ledger_space_can_touch(mapped_area, EVENTS_AREA_HEAD))
        return;
    area = mapped_area;
    area->clock = claim->events_clock;
    area->ring_count =
        (uint32_t)((mapped_size - EVENTS_AREA_HEAD) / EVENTS_RING_BYTES);
    __atomic_store_n(&area->magic, EVENTS_AREA_MAGIC, __ATOMIC_RELEASE);
    event_rings.session = mapped_session;
    event_rings.clock = choose_clock(claim->events_clock);
    event_rings.epoch = (uint32_t)raw_getpid();
    event_rings.ring_count = area->ring_count;
    __atomic_store_n(&event_rings.area, area, __ATOMIC_RELEASE);
    if (is_touchable(EVENTS_RING_SHARED))
        set_up(&event_rings.own[EVENTS_RING_SHARED], EVENTS_RING_SHARED);
    /* With sampled stacks, samples.c adds the events instead. */
    if (claim->stacks != SESSION_STACKS_SAMPLED)
        event_rings.sees_calls = 1;
}

void events_unlock(void)
{
    if (mapped_area == NULL)
        return;
    pages_unlock(mapped_area, mapped_size);
    pages_unlock(mapped_session, LEDGER_PAGE);
    pages_unlock(&event_rings, sizeof event_rings);
}

static bool is_alive(uint32_t thread)
{
    return raw_call(SYS_tkill, (long)thread, 0, 0, 0, 0, 0) != -3;
}

static bool claim_ring(uint32_t ring, uint32_t held, uint32_t self)
{
    struct event_ring *own = &event_rings.own[ring];

    if (!__atomic_compare_exchange_n(&own->owner, &held, self, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    if (own->words == NULL) {
        if (!is_touchable(ring)) {
            __atomic_store_n(&own->owner, 0, __ATOMIC_RELEASE);
            return false;
        }
        set_up(own, ring);
    }
    own->thread = 0; /* it has not said that it is ours */
    __atomic_store_n(&own->ring->busy, 0, __ATOMIC_RELEASE);
    __atomic_fetch_add(&event_rings.thread_count, 1, __ATOMIC_ACQ_REL);
    event_ring = own;
    return true;
}

static struct event_ring *find_ring(void)
{
    uint32_t self;

    if (sandbox_is_closed())
        return NULL;
    self = (uint32_t)raw_gettid();
    for (int round = 0; round < 2; round++) {
        for (uint32_t ring = 1; ring < event_rings.ring_count; ring++) {
            uint32_t held =
                __atomic_load_n(&event_rings.own[ring].owner, __ATOMIC_ACQUIRE);

            /* Our own number: left by an ended thread that had it before. */
            if ((round == 0 ? held == 0 || held == self : !is_alive(held)) &&
                claim_ring(ring, held, self))
                return event_ring;
        }
    }
    return NULL;
}

static bool is_on_other_stack(void)
{
    stack_t stack = { .ss_flags = SS_ONSTACK };

    if (!sandbox_is_closed())
        raw_call(SYS_sigaltstack, 0, RAW_ARGUMENT(&stack), 0, 0, 0, 0);
    return (stack.ss_flags & SS_ONSTACK) != 0;
}

/*
 * A handler that leaves by longjmp abandons the event that it interrupted: the
 * ring stays busy with a frame below ours on the same stack. Free it then.
 */
static bool is_in_use(const struct event_ring *own, uintptr_t frame)
{
    uint64_t busy = own->ring->busy;

    if (busy != 0 && busy <= frame && !is_on_other_stack())
        __atomic_store_n(&own->ring->busy, 0, __ATOMIC_RELEASE);
    return own->ring->busy != 0;
}

struct event_ring *event_rings_take(uintptr_t frame)
{
    struct event_ring *own = event_ring;

    if ((tally_listeners & TALLY_LISTENER_SHARED) != 0)
        return NULL;
    if (own->words != NULL)
        return is_in_use(own, frame) ? NULL : own;
    if (own == &crowds &&
        __atomic_fetch_add(&event_rings.crowd, 1, __ATOMIC_RELAXED) %
                CROWD_ROUND !=
            0)
        return NULL;
    own = find_ring();
    if (own == NULL)
        event_ring = &crowds;
    return own;
}

void event_rings_lose(uint64_t count)
{
    __atomic_fetch_add(&event_rings.area->lost, count, __ATOMIC_RELAXED);
    process_count(LEDGER_COUNT_lost_events, count);
}
