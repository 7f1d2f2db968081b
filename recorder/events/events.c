/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - one event, from the call to its ring
 *
 * recorder/events/event_rings.c gives a thread its ring. Invariants:
 *
 *   I1  `busy` of a ring is set before the time of an event is read, and
 *       cleared after the event is visible: a reader that finds 0 knows that
 *       events to come are newer
 *   I2  a call that finds `busy` set in its own ring is in a signal handler
 *       that interrupted an event; it uses the shared ring, unless the frame
 *       that was adding is gone
 *   I3  a child that a handler forked in the midst of adding does not publish
 *       into its parent's ring: its epoch is another
 */
#include "recorder/events/event_rings.h"

#include <time.h>

#include "ledger/record/record.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/process.h"
#include "ports/posix/sandbox.h"
#include "ports/posix/tick_clock.h"
#include "recorder/calls/observer.h"

enum { FRAME_WORDS = 3 };

/*
 * An event is stamped after everything before it, as far as other threads can tell:
 * an allocation may have got what another thread has just given back, and a free is
 * of what another thread has just allocated, however far ahead the processor reads
 * its counter while it waits for the block's address.
 */
static inline uint64_t read_clock(const struct event_ring *own)
{
    struct timespec now;

    if (LIKELY(event_rings.clock == EVENTS_CLOCK_TICKS))
        return tick_clock_read(event_rings.thread_count > 1);
    /* Where libc has to ask the kernel, a filter may forbid that. */
    if (event_rings.clock == EVENTS_CLOCK_NONE || sandbox_is_closed() ||
        clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return own->last_time;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void set_busy(struct events_ring *ring, uintptr_t frame)
{
    __atomic_store_n(&ring->busy, frame, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Room for so many words, or NULL: there is none. */
static inline uint64_t *begin(struct event_ring *own, uint64_t count)
{
    struct events_ring *ring = own->ring;

    set_busy(ring, (uintptr_t)__builtin_frame_address(0));
    if (UNLIKELY(count > EVENTS_RECORD_WORDS || ring->head >= own->limit) &&
        !event_rings_make_room(own, count)) {
        set_busy(ring, 0);
        event_rings_lose(1);
        return NULL;
    }
    return own->words + ring->head % EVENTS_RING_WORDS;
}

static inline void end(struct event_ring *own, uint32_t epoch, uint64_t time,
                       uint64_t words)
{
    struct events_ring *ring = own->ring;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (UNLIKELY(event_rings.epoch != epoch))
        return;
    __atomic_store_n(&ring->last_time, time, __ATOMIC_RELAXED);
    __atomic_store_n(&ring->head, ring->head + words, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_busy(ring, 0);
}

/* A stack deeper than MEM_TRACE_DEEPEST loses its outermost frames. */
static uint32_t depth_of(uint32_t frame)
{
    const struct ledger_frame *at;
    uint32_t depth = 0;

    for (; frame != 0 && depth < MEM_TRACE_DEEPEST; depth++) {
        at = ledger_frame_at(frame);
        frame = at == NULL ? 0 : at->parent;
    }
    return depth;
}

static void put_frames(uint64_t *words, uint64_t time, uint32_t frame,
                       uint32_t depth)
{
    for (uint32_t left = 1; left <= depth; left++) {
        const struct ledger_frame *at = ledger_frame_at(frame);
        uint64_t *record = words + FRAME_WORDS * (depth - left);
        bool is_cut = at == NULL || (left == depth && at->parent != 0);

        record[0] = time << EVENTS_RING_KIND_BITS | MEM_TRACE_FRAME;
        record[1] = is_cut ? 0 : at->address;
        record[2] = left;
        frame = at == NULL ? 0 : at->parent;
    }
}

static inline __attribute__((always_inline)) void
put(struct event_ring *own, const struct mem_trace_event *event, uint32_t frame)
{
    uint32_t depth = frame == 0 ? 0 : depth_of(frame);
    uint64_t before = depth * (uint64_t)FRAME_WORDS;
    uint32_t epoch = event_rings.epoch;
    uint64_t *words = begin(own, before + EVENTS_RECORD_WORDS);
    uint64_t count = 4, time;

    if (UNLIKELY(words == NULL))
        return;
    time = read_clock(own);
    if (UNLIKELY(event_rings.clock != EVENTS_CLOCK_TICKS))
        own->last_time = time;
    if (before != 0)
        put_frames(words, time, frame, depth);
    words += before;
    words[0] = time << EVENTS_RING_KIND_BITS | event->op;
    words[1] = event->caller;
    if (event->op == MEM_TRACE_FREE || event->op == MEM_TRACE_PROMOTE) {
        words[2] = event->pointer;
        count = 3;
    } else {
        words[2] = event->result;
        words[3] = event->size;
        if (event->op != MEM_TRACE_MALLOC) {
            words[4] =
                event->op == MEM_TRACE_CALLOC ? event->count : event->pointer;
            count = 5;
        }
    }
    end(own, epoch, time, before + count);
}

/* Say which thread's events follow in this ring. */
static bool put_thread(struct event_ring *own, uint32_t thread)
{
    uint32_t epoch = event_rings.epoch;
    uint64_t *words = begin(own, EVENTS_RECORD_WORDS);
    uint64_t time;

    if (words == NULL)
        return false;
    time = read_clock(own);
    words[0] = time << EVENTS_RING_KIND_BITS | EVENTS_RING_THREAD;
    words[1] = event_rings_is_number(thread) ? thread : 0;
    end(own, epoch, time, 2);
    own->thread = thread;
    return true;
}

/* For those without a ring, and for handlers. */
static NOINLINE void add_to_shared(const struct mem_trace_event *event,
                                   uint32_t frame)
{
    struct event_ring *shared = &event_rings.own[EVENTS_RING_SHARED];
    uint32_t thread;

    if (!event_rings_lock(&thread)) {
        event_rings_lose(1);
        return;
    }
    if (shared->thread == thread || put_thread(shared, thread))
        put(shared, event, frame);
    else
        event_rings_lose(1);
    event_rings_unlock();
}

static NOINLINE void add_slowly(const struct mem_trace_event *event,
                                uint32_t frame)
{
    struct event_ring *own;

    /* A thread or a child may begin with a free. */
    if (!record_is_listening() || event_rings.area == NULL)
        return;
    own = event_rings_take((uintptr_t)__builtin_frame_address(0));
    if (own == NULL)
        add_to_shared(event, frame);
    else if (own->thread != 0 || put_thread(own, own->owner))
        put(own, event, frame);
    else
        event_rings_lose(1);
}

/*
 * A vfork child runs on its parent's thread-local words, and so may a CLONE_VM
 * child while its parent runs.
 */
static inline __attribute__((always_inline)) void
add(const struct mem_trace_event *event, uint32_t frame)
{
    struct event_ring *own = event_ring;

    if (UNLIKELY(own->words == NULL || own->ring->busy != 0 ||
                 tally_listeners != TALLY_LISTENER_ACCOUNT))
        add_slowly(event, frame);
    else
        put(own, event, frame);
}

void events_add(const struct mem_trace_event *event)
{
    add(event, 0);
}

void events_add_of_stack(const struct mem_trace_event *event, uint32_t frame)
{
    add(event, frame);
}

bool observe_events_is_on(void)
{
    return __atomic_load_n(&event_rings.sees_calls, __ATOMIC_RELAXED) != 0;
}

/*
 * A free is an event before the block is given back, all others afterwards: no
 * address is handed out anew before its free. A realloc that moves a block is the
 * exception.
 */
bool observe_events_begin(const struct mem_trace_event *call, int64_t *kept)
{
    (void)kept;
    if (call->op != MEM_TRACE_FREE)
        return true;
    add(call, 0);
    return false;
}

void observe_events_end(const struct mem_trace_event *call, int64_t kept)
{
    (void)kept;
    if (call != NULL)
        add(call, 0);
}

bool events_are_on(void)
{
    return event_rings.area != NULL;
}

void events_lose_clock(void)
{
    event_rings.clock = EVENTS_CLOCK_NONE;
}
