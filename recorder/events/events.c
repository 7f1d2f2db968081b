/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - one event, from the call to its ring
 *
 * A thread takes a ring without an owner, or whose owner no longer exists, as
 * it does with a shard (owner_slot_take()). The rings lie in shared memory. A
 * forked child finds zeros in event_rings: it has no rings until it opens its
 * own.
 *
 * A stuck tally record must not stop the program: a thread waits for space only
 * while events are taken out at least once a second. If a filter forbids the
 * call to sleep, it spins for some milliseconds.
 *
 * Rules, which another process may break:
 *
 *   1.  `busy` of a ring is set before the time of an event is read, and
 *       cleared after the event is visible: a reader that finds 0 knows that
 *       later events are newer
 *   2.  a call that finds `busy` set in its own ring is in a signal handler
 *       that interrupted an event; it uses the shared ring, unless the frame
 *       that was adding is gone
 *
 * A child that a handler forked while an event was added does not publish into
 * its parent's ring: its epoch is another.
 *
 * This file is long because it is one state machine: a ring, from free to full.
 */
#define _GNU_SOURCE
#include "recorder/events/events.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "format/events/events_area.h"
#include "ledger/blocks/attach.h"
#include "ledger/blocks/ledger_blocks.h"
#include "ledger/space/ledger_space.h"
#include "ledger/space/ledger_writer.h"
#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "ports/posix/tick_clock.h"
#include "recorder/observer.h"
#include "recorder/stacks/labels.h"
#include "tally/hook.h"

enum {
    PATIENCE = 10,    /* waits without any progress ... */
    WAIT_MS = 100,    /* ... of this length */
    SPINS = 20000000, /* longer than tally record sleeps */
    WAKE_WORDS =
        EVENTS_RING_WORDS / 8, /* words between wakes of tally record */
    /* events after which a thread without a ring looks for one again */
    CROWD_ROUND = 1024,
    FRAME_WORDS = 3,
    /* Time to wait for space, in microseconds: for each word taken out, and at
       most in a row. */
    WORD_WAIT_US = 100000,
    MOST_WAIT_US = 10000000,
};

/* marks a number made up because a filter forbids gettid */
#define NO_NUMBER (UINT32_C(1) << 31)

/* A ring as its thread sees it. Others may write anything in the shared one. */
struct event_ring {
    uint64_t *words; /* NULL: not set up */
    struct events_ring *ring;
    uint64_t head, tail; /* the tail never exceeds the head, and never falls */
    uint64_t limit;      /* a head below this needs no check for space */
    uint64_t stuck_at;   /* 1 + the tail at which waiting was given up */
    uint64_t last_time;  /* for a clock that does not read ticks */
    uint32_t thread;     /* last thread that the ring names; 0: none */
    uint32_t patience;   /* microseconds of waiting left */
};

struct __attribute__((aligned(LEDGER_PAGE))) event_rings {
    struct events_area *area; /* NULL: this process is not traced (yet) */
    struct session_header *session;
    uint32_t clock;        /* enum events_clock */
    uint32_t epoch;        /* not 0, and different in each process */
    uint32_t ring_count;   /* mapped rings */
    uint32_t thread_count; /* threads that ever took a ring */
    uint32_t lock;         /* owner of the shared ring; 0: free */
    uint32_t lock_waiting; /* threads that wait for it */
    uint32_t crowd;        /* events of threads that found no ring */
    uint32_t sees_calls;   /* each call is an event */
    uint32_t overwrites;   /* black box: overwrite instead of waiting */
    struct event_ring own[EVENTS_RING_COUNT];
    uint32_t owners[EVENTS_RING_COUNT]; /* numbers of threads; 0: free */
};

static struct event_ring none;
static struct event_ring crowds; /* ring of threads that found no free one */

/* This thread's ring, in bytes from `none`, which has no words and comes
   first. */
static _Thread_local int32_t ring_from_none;

static inline struct event_ring *own_ring(void)
{
    return (void *)((uintptr_t)&none + (uintptr_t)(intptr_t)ring_from_none);
}

static void set_own_ring(const struct event_ring *ring)
{
    ring_from_none = (int32_t)((intptr_t)ring - (intptr_t)&none);
}

/* The area's mapping: ordinary memory, which a forked child keeps. */
KEPT static void *mapped_area;
KEPT static size_t mapped_size;
KEPT static void *mapped_session;

/* Last, as gcc then puts it before the others: no page of padding. */
static struct event_rings event_rings;

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

/* Map the area; a forked child maps its own over its parent's. A handler that
   forked and then goes on to write, writes there and does not publish. */
static bool map_area(const struct session_claim *claim)
{
    uint64_t offset = claim->offset + EVENTS_AREA_OFFSET;
    uint32_t rings = claim->header.blackbox_rings;
    uint32_t count =
        rings >= 2 && rings < EVENTS_RING_COUNT ? rings : EVENTS_RING_COUNT;

    if (mapped_area != NULL)
        return map(claim->fd, offset, mapped_size, mapped_area) != NULL;
    mapped_session = map(claim->fd, 0, LEDGER_PAGE, NULL);
    if (mapped_session == NULL)
        return false;
    /* fewer rings if address space is limited */
    for (; count >= 2 && mapped_area == NULL; count /= 2) {
        mapped_size = EVENTS_AREA_HEAD + count * (size_t)EVENTS_RING_BYTES;
        mapped_area = map(claim->fd, offset, mapped_size, NULL);
    }
    return mapped_area != NULL;
}

static void set_up(struct event_ring *own, uint32_t ring)
{
    own->ring = &event_rings.area->rings[ring];
    own->limit = 0; /* the first record asks for space */
    own->patience = MOST_WAIT_US;
    __atomic_store_n(&own->words, words_of(ring), __ATOMIC_RELEASE);
}

void events_open(const struct session_claim *claim)
{
    struct events_area *area;

    if (claim->header.events_clock == EVENTS_CLOCK_NONE ||
        raw_madvise(&event_rings, sizeof event_rings, MADV_WIPEONFORK) != 0)
        return;
    pages_advise(&event_rings, sizeof event_rings);
    if (!map_area(claim) ||
        !ledger_space_can_touch(mapped_area, EVENTS_AREA_HEAD))
        return;
    area = mapped_area;
    event_rings.ring_count =
        (uint32_t)((mapped_size - EVENTS_AREA_HEAD) / EVENTS_RING_BYTES);
    event_rings.overwrites = claim->header.blackbox_rings != 0;
    area->clock = claim->header.events_clock;
    area->ring_count = event_rings.ring_count;
    __atomic_store_n(&area->magic, EVENTS_AREA_MAGIC, __ATOMIC_RELEASE);
    area->is_blackbox = event_rings.overwrites;
    event_rings.session = mapped_session;
    event_rings.clock = claim->header.events_clock == EVENTS_CLOCK_TICKS &&
                                !tick_clock_is_readable()
                            ? EVENTS_CLOCK_NONE
                            : claim->header.events_clock;
    event_rings.epoch = (uint32_t)raw_getpid();
    __atomic_store_n(&event_rings.area, area, __ATOMIC_RELEASE);
    if (ledger_space_can_touch(words_of(EVENTS_RING_SHARED), EVENTS_RING_BYTES))
        set_up(&event_rings.own[EVENTS_RING_SHARED], EVENTS_RING_SHARED);
    /* With sampled stacks, samples.c adds the events instead. */
    if (claim->header.stacks != SESSION_STACKS_SAMPLED)
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

static struct event_ring *find_ring(void)
{
    uint32_t ring =
        sandbox_is_closed()
            ? 0
            : owner_slot_take(event_rings.owners, event_rings.ring_count);
    struct event_ring *own = &event_rings.own[ring];

    if (ring == 0)
        return NULL;
    if (own->words == NULL) {
        if (!ledger_space_can_touch(words_of(ring), EVENTS_RING_BYTES)) {
            __atomic_store_n(&event_rings.owners[ring], 0, __ATOMIC_RELEASE);
            return NULL;
        }
        set_up(own, ring);
    }
    own->thread = 0; /* it does not name us yet */
    __atomic_store_n(&own->ring->busy, 0, __ATOMIC_RELEASE);
    __atomic_fetch_add(&event_rings.thread_count, 1, __ATOMIC_ACQ_REL);
    set_own_ring(own);
    return own;
}

/*
 * Return true if the ring is busy. A handler that leaves by longjmp abandons
 * the event that it interrupted: the ring stays busy with a frame below ours on
 * the same stack. Free it then.
 */
static bool is_in_use(const struct event_ring *own, uintptr_t frame)
{
    stack_t stack = { .ss_flags = SS_ONSTACK };
    uint64_t busy = own->ring->busy;

    if (busy == 0 || busy > frame)
        return busy != 0;
    if (!sandbox_is_closed())
        raw_call(SYS_sigaltstack, 0, RAW_ARGUMENT(&stack), 0, 0, 0, 0);
    if ((stack.ss_flags & SS_ONSTACK) == 0)
        __atomic_store_n(&own->ring->busy, 0, __ATOMIC_RELEASE);
    return own->ring->busy != 0;
}

/*
 * Return this thread's ring, taken now if it has none. NULL: use the shared
 * ring, as none is left, or the own ring is in use below `frame` on the stack.
 */
static struct event_ring *take_ring(uintptr_t frame)
{
    struct event_ring *own = own_ring();

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
        set_own_ring(&crowds);
    return own;
}

static void lose(void)
{
    __atomic_fetch_add(&event_rings.area->lost, 1, __ATOMIC_RELAXED);
    process_count(LEDGER_COUNT_lost_events, 1);
}

static void wake_reader(void)
{
    uint32_t *sleeping = &event_rings.session->events_sleeping;

    if (__atomic_load_n(sleeping, __ATOMIC_RELAXED) == 0 || sandbox_is_closed())
        return;
    __atomic_store_n(sleeping, 0, __ATOMIC_RELEASE);
    raw_call(SYS_futex, RAW_ARGUMENT(sleeping), FUTEX_WAKE, 1, 0, 0, 0);
}

/* Sleep until *word is not `value`, at most WAIT_MS. Return false on
   timeout. */
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

/* Return the tail. A reader can take out only existing words, and puts nothing
   back. */
static uint64_t tail_of(struct event_ring *own)
{
    uint64_t tail = __atomic_load_n(&own->ring->tail, __ATOMIC_ACQUIRE);
    uint64_t moved = tail - own->tail;

    if (moved != 0 && moved <= own->head - own->tail) {
        own->tail = tail;
        own->patience += moved < MOST_WAIT_US / WORD_WAIT_US
                             ? (uint32_t)moved * WORD_WAIT_US
                             : MOST_WAIT_US;
        if (own->patience > MOST_WAIT_US)
            own->patience = MOST_WAIT_US;
    }
    return own->tail;
}

static void move_head(struct event_ring *own, uint64_t head)
{
    __atomic_store_n(&own->head, head, __ATOMIC_RELAXED);
    __atomic_store_n(&own->ring->head, head, __ATOMIC_RELEASE);
}

/* Spin if sleeping may be forbidden; true if the condition holds within
   milliseconds. */
#define SPIN_UNTIL(condition)                     \
    ({                                            \
        int spins = 0;                            \
                                                  \
        while (!(condition) && ++spins < SPINS) { \
        }                                         \
        spins < SPINS;                            \
    })

/* Ask the kernel: the program may be forbidden to read the counter. */
static uint64_t now_us(void)
{
    struct timespec now = { 0, 0 };

    raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, RAW_ARGUMENT(&now), 0, 0, 0,
             0);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Wait while tally record, or a process that pretends to be it, takes events
   out. */
static bool sleep_for_room(struct event_ring *own, uint64_t tail)
{
    struct events_area *area = event_rings.area;
    uint64_t since = now_us();

    for (int waits = 0; waits < PATIENCE;) {
        uint64_t now = now_us(), passed = now - since + 1;
        uint32_t room = __atomic_load_n(&area->room, __ATOMIC_SEQ_CST);

        if (tail_of(own) != tail)
            return true;
        if (__atomic_load_n(&area->is_closed, __ATOMIC_ACQUIRE) != 0 ||
            own->patience <= passed)
            return false;
        own->patience -= (uint32_t)passed;
        since = now;
        wake_reader();
        waits = sleep_on(&area->room, room, &area->waiting) ? 0 : waits + 1;
    }
    return false;
}

/* Wait for the tail to leave `tail`; return true if it does. */
static bool wait_for_room(struct event_ring *own, uint64_t tail)
{
    if (own->stuck_at == tail + 1) /* given up already */
        return false;
    if (sandbox_is_closed() ? SPIN_UNTIL(tail_of(own) != tail)
                            : sleep_for_room(own, tail))
        return true;
    own->stuck_at = tail + 1;
    return false;
}

static uint32_t told_thread(uint32_t thread)
{
    return (thread & NO_NUMBER) == 0 ? thread : 0;
}

/* Name the thread again: this may become the oldest block that a reader
   finds. */
static void begin_block(struct event_ring *own)
{
    uint64_t head = own->head;
    uint64_t *words = own->words + head % EVENTS_RING_WORDS;

    __atomic_thread_fence(__ATOMIC_RELEASE);
    words[0] =
        own->ring->last_time << EVENTS_RING_KIND_BITS | EVENTS_RING_THREAD;
    words[1] = told_thread(own->thread);
    move_head(own, head + 2);
}

/* Make space for `words` at the head, stored in `*at`, and set `limit`. Wait if
   needed. Return false if there is no space. */
static bool make_room(struct event_ring *own, uint64_t words, uint64_t *at)
{
    for (;;) {
        uint64_t head = __atomic_load_n(&own->head, __ATOMIC_RELAXED);
        uint64_t tail = tail_of(own);
        uint64_t end = (head / EVENTS_BLOCK_WORDS + 1) * EVENTS_BLOCK_WORDS;
        uint64_t full =
            event_rings.overwrites ? UINT64_MAX : tail + EVENTS_RING_WORDS;
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
            move_head(own, end);
            if (event_rings.overwrites)
                begin_block(own);
            continue;
        }
        if (next > end)
            next = end;
        if (next > full)
            next = full;
        own->limit = next - EVENTS_RECORD_WORDS + 1;
        *at = head;
        return true;
    }
}

/* Lock the shared ring; `*thread` is the caller's number. Return false if the
   caller is a handler that interrupted the owner, or the owner does not run. */
static bool lock(uint32_t *thread)
{
    const struct event_ring *shared = &event_rings.own[EVENTS_RING_SHARED];
    uint32_t self =
        sandbox_is_closed()
            ? (uint32_t)((uintptr_t)&ring_from_none >> 3) | NO_NUMBER
            : (uint32_t)raw_gettid();

    *thread = self;
    if (shared->words == NULL)
        return false;
    for (int waits = 0; waits < PATIENCE;) {
        uint64_t head = __atomic_load_n(&shared->head, __ATOMIC_RELAXED);
        uint32_t held = 0;

        if (__atomic_compare_exchange_n(&event_rings.lock, &held, self, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            return true;
        if (held == self || event_rings.overwrites)
            return false;
        if (sandbox_is_closed())
            waits += SPIN_UNTIL(__atomic_load_n(&event_rings.lock,
                                                __ATOMIC_RELAXED) != held)
                         ? 0
                         : PATIENCE;
        else if (sleep_on(&event_rings.lock, held, &event_rings.lock_waiting) ||
                 __atomic_load_n(&shared->head, __ATOMIC_RELAXED) != head)
            waits = 0; /* others came first */
        else
            waits++;
    }
    return false;
}

/*
 * Read the time after everything that other threads can see before it: an
 * allocation may return a block that another thread has just freed, and a free
 * may be of a block that another thread has just allocated, however early the
 * processor reads its counter while it waits for the block's address.
 */
static inline uint64_t read_clock(const struct event_ring *own)
{
    struct timespec now;

    if (LIKELY(event_rings.clock == EVENTS_CLOCK_TICKS))
        return tick_clock_read(event_rings.thread_count > 1);
    /* If libc has to ask the kernel, a filter may forbid that. */
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

static inline uint64_t *begin(struct event_ring *own, uint64_t count)
{
    uint64_t head;

    set_busy(own->ring, (uintptr_t)__builtin_frame_address(0));
    head = __atomic_load_n(&own->head, __ATOMIC_RELAXED);
    if (UNLIKELY(count > EVENTS_RECORD_WORDS || head >= own->limit) &&
        !make_room(own, count, &head)) {
        set_busy(own->ring, 0);
        lose();
        return NULL;
    }
    /* Publish the head before overwriting: events_area.h. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return own->words + head % EVENTS_RING_WORDS;
}

static inline void end(struct event_ring *own, uint32_t epoch, uint64_t time,
                       uint64_t words)
{
    struct events_ring *ring = own->ring;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (UNLIKELY(event_rings.epoch != epoch))
        return;
    __atomic_store_n(&ring->last_time, time, __ATOMIC_RELAXED);
    move_head(own, own->head + words);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    set_busy(ring, 0);
}

/* Skip pairs of labels, which are no calls. */
static uint32_t call_at(uint32_t frame)
{
    const struct ledger_frame *at = ledger_frame_at(frame);
    int left = LABELS_DEPTH;

    while (at != NULL && at->address == LEDGER_PAIR_ADDRESS && left-- > 0) {
        frame = at->parent;
        at = ledger_frame_at(frame);
    }
    return frame;
}

/* Return the depth. A stack deeper than MEM_TRACE_DEEPEST loses its outermost
   frames. */
static uint32_t depth_of(uint32_t frame)
{
    const struct ledger_frame *at;
    uint32_t depth = 0;

    for (frame = call_at(frame); frame != 0 && depth < MEM_TRACE_DEEPEST;
         depth++) {
        at = ledger_frame_at(frame);
        frame = at == NULL ? 0 : call_at(at->parent);
    }
    return depth;
}

static void put_frames(uint64_t *words, uint64_t time, uint32_t frame,
                       uint32_t depth)
{
    frame = call_at(frame);
    for (uint32_t left = 1; left <= depth; left++) {
        const struct ledger_frame *at = ledger_frame_at(frame);
        uint64_t *record = words + FRAME_WORDS * (depth - left);
        bool is_cut = at == NULL || (left == depth && call_at(at->parent) != 0);

        record[0] = time << EVENTS_RING_KIND_BITS | MEM_TRACE_FRAME;
        record[1] = is_cut ? 0 : at->address;
        record[2] = left;
        frame = at == NULL ? 0 : call_at(at->parent);
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
    own->ring->events += mem_trace_is_call(event);
    end(own, epoch, time, before + count);
}

/* Name the thread of the following events in this ring. Return false if there
   is no space: the event is lost. */
static bool put_thread(struct event_ring *own, uint32_t thread)
{
    uint32_t epoch = event_rings.epoch;
    uint64_t *words = begin(own, EVENTS_RECORD_WORDS);
    uint64_t time;

    if (words == NULL)
        return false;
    time = read_clock(own);
    words[0] = time << EVENTS_RING_KIND_BITS | EVENTS_RING_THREAD;
    words[1] = told_thread(thread);
    end(own, epoch, time, 2);
    own->thread = thread;
    return true;
}

/* Add an event of a thread without a ring, or of a handler. */
static NOINLINE void add_to_shared(const struct mem_trace_event *event,
                                   uint32_t frame)
{
    struct event_ring *shared = &event_rings.own[EVENTS_RING_SHARED];
    uint32_t thread;

    if (!lock(&thread)) {
        lose();
        return;
    }
    if (shared->thread == thread || put_thread(shared, thread))
        put(shared, event, frame);
    __atomic_store_n(&event_rings.lock, 0, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&event_rings.lock_waiting, __ATOMIC_SEQ_CST) != 0 &&
        !sandbox_is_closed())
        raw_call(SYS_futex, RAW_ARGUMENT(&event_rings.lock), FUTEX_WAKE, 1, 0,
                 0, 0);
}

static NOINLINE void add_slowly(const struct mem_trace_event *event,
                                uint32_t frame)
{
    struct event_ring *own;

    /* A thread or a child may begin with a free. */
    if (!ledger_is_listening() || event_rings.area == NULL)
        return;
    own = take_ring((uintptr_t)__builtin_frame_address(0));
    if (own == NULL)
        add_to_shared(event, frame);
    else if (own->thread != 0 ||
             put_thread(own, event_rings.owners[own - event_rings.own]))
        put(own, event, frame);
}

/* Add an event. A vfork child runs on its parent's thread-local words, and so
   may a CLONE_VM child while its parent runs. */
static inline __attribute__((always_inline)) void
add(const struct mem_trace_event *event, uint32_t frame)
{
    struct event_ring *own = own_ring();

    if (UNLIKELY(own->words == NULL || own->ring->busy != 0 ||
                 tally_listeners != TALLY_LISTENER_ACCOUNT))
        add_slowly(event, frame);
    else
        put(own, event, frame);
}

void events_add(const struct mem_trace_event *event, uint32_t frame)
{
    add(event, frame);
}

bool observe_events_is_on(void)
{
    return __atomic_load_n(&event_rings.sees_calls, __ATOMIC_RELAXED) != 0;
}

/*
 * Add a free before the block is given back, and all others afterwards: no
 * address is reused before its free. A realloc that moves a block is the
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

void events_close(void)
{
    if (mapped_area != NULL)
        raw_munmap(mapped_area, mapped_size);
    if (mapped_session != NULL)
        raw_munmap(mapped_session, LEDGER_PAGE);
    mapped_area = NULL;
    mapped_session = NULL;
}
