/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_rings.h - the rings that events go into, and their owners
 *
 * A thread takes a ring without an owner, or whose owner no longer exists, as
 * it does with a shard (ledger/record/thread.c). The rings lie in shared memory. A
 * forked child finds zeros in event_rings: it has no rings until it opens its
 * own.
 */
#ifndef TALLY_RECORDER_EVENT_RINGS_H
#define TALLY_RECORDER_EVENT_RINGS_H

#include <stdbool.h>

#include "format/events/events_area.h"
#include "format/ledger/ledger_units.h"
#include "ledger/export.h"
#include "ledger/space/ledger_space.h"
#include "recorder/events/events.h"
#include "tally/hook.h"

/* A ring as its thread sees it. */
struct event_ring {
    uint64_t *words; /* NULL: not set up */
    struct events_ring *ring;
    uint64_t limit;     /* a head below this needs no check for room */
    uint64_t stuck_at;  /* 1 + the tail at which waiting was given up */
    uint64_t last_time; /* where time is not ticks */
    uint32_t owner;     /* a thread's number; 0: free */
    uint32_t thread;    /* the last one that the ring names; 0: none */
    uint64_t reserved[2];
};

struct __attribute__((aligned(LEDGER_PAGE))) event_rings {
    struct events_area *area; /* NULL: this process is not traced (yet) */
    struct session_header *session;
    uint32_t clock;        /* enum events_clock */
    uint32_t epoch;        /* not 0, and another in each process */
    uint32_t ring_count;   /* mapped */
    uint32_t thread_count; /* that ever took a ring */
    uint32_t lock;         /* of the shared ring: its owner; 0: free */
    uint32_t lock_waiting; /* threads that wait for it */
    uint32_t crowd;        /* events of threads that found no ring */
    uint32_t sees_calls;   /* each call is an event */
    struct event_ring own[EVENTS_RING_COUNT];
};

extern HIDDEN struct event_rings event_rings;

/* This thread's; at first one without words. */
extern HIDDEN _Thread_local struct event_ring *event_ring;

/*
 * This thread's ring, taken now if it has none. NULL: it must use the shared one,
 * for there is none left, or its own is in use below it on the stack, of which
 * `frame` is the top.
 */
struct event_ring *event_rings_take(uintptr_t frame);

/*
 * Make room for `words` at the head, and set `limit`. Waits if needed. False:
 * there is no room.
 */
bool event_rings_make_room(struct event_ring *own, uint64_t words);

/*
 * Lock the shared ring; `*thread` is the caller's number. False: the caller is
 * a handler that interrupted the owner, or the owner does not run.
 */
bool event_rings_lock(uint32_t *thread);

/* Marks a number made up where a filter forbids gettid. */
#define EVENT_RINGS_NO_NUMBER (UINT32_C(1) << 31)

static inline bool event_rings_is_number(uint32_t thread)
{
    return (thread & EVENT_RINGS_NO_NUMBER) == 0;
}

void event_rings_unlock(void);

/* `count` events could not be added. */
void event_rings_lose(uint64_t count);

#endif /* TALLY_RECORDER_EVENT_RINGS_H */
