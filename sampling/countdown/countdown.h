/* SPDX-License-Identifier: Apache-2.0 */
/*
 * countdown.h - one subtraction for each allocation, until something is due
 *
 * Several clients want to look at some of a thread's allocations: at the next
 * sample, at the end of a nursery epoch, when a limit is reached. Each tells
 * its distance; the nearest arms the countdown, and no client is asked before
 * that has passed:
 *
 *     if (!countdown_pass(thread, size)) { the slow way }
 *
 * The countdown counts amounts. Where a client counts words, the amount of a
 * block is 8 times its words, one for a header included; else its bytes. It is
 * never less than the bytes requested. So a client that counts bytes is asked
 * too early at worst: it looks at `allocated`, and tells its new distance.
 *
 * The slow way is
 *
 *     thread = countdown_thread();
 *     if (thread == NULL) { allocate, and that is all }
 *     if (!countdown_allows(thread, size, 0)) { fail with ENOMEM }
 *     block = the allocator's;
 *     if (block == NULL) { countdown_fail(thread, size) }
 *     else if (!countdown_count(thread, &counted)) { give it back }
 *
 * A failed request allocates no bytes, but its words stay counted as trials:
 * else the next request would be sampled more or less often than others.
 *
 * A realloc that a client refuses must leave the program its old block. So
 * clients are asked before:
 *
 *     counted.announcement = &announcement;
 *     if (!countdown_count(thread, &counted)) { fail with ENOMEM }
 *     counted.block = the allocator's, or NULL;
 *     countdown_finish(thread, &counted);
 *
 *   C1  a thread's countdown is its own: no other thread writes there. A change
 *       for all threads is a new generation, which each compares with its own
 *       before it subtracts. It also ends the countdown of the thread that
 *       makes the change
 *   C2  what a thread allocates while a client is asked is not counted
 *   C3  a child of a fork finds the words of struct countdown_words zero:
 *       nothing counts there
 *   C4  clients are asked what they keep of a block only while the thread is
 *       not in a client, except in its callbacks: a signal handler never meets
 *       a lock that its own thread has. Blocks that it frees meanwhile go
 *       unnoticed
 *
 * Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "core/observers/sample.h"
#include "port/words.h"
#include "sampling/countdown/countdown_client.h"

enum {
    COUNTDOWN_WORD = 8,   /* amounts to a word */
    COUNTDOWN_ROOM = 640, /* bytes that a client has in each thread */
};

/* Never the process's generation: the thread always takes the slow way. */
#define COUNTDOWN_NO_GENERATION UINT32_MAX

/* Likewise: a thread with it looks at `polled` before it goes on. */
#define COUNTDOWN_POLLS (UINT32_MAX - 1)

/* More than any thread allocates. */
#define COUNTDOWN_NEVER (UINT64_C(1) << 61)

struct counted_thread {
    uint64_t countdown;   /* amounts; with the last of them something is due */
    uint64_t armed;       /* what it began with */
    uint64_t allocated;   /* bytes requested: countdown_allocated() */
    size_t add, mask;     /* amount = (bytes + add) & mask */
    size_t billed;        /* all bits: bytes are added to it; or 0 */
    size_t derived;       /* all bits: amounts are, in the slow way; or 0 */
    uint32_t generation;  /* that it was armed in; or COUNTDOWN_POLLS */
    uint32_t is_busy;     /* a client is asked */
    uint32_t in_callback; /* and calls the program */
    uint32_t is_taking;   /* a client is asked for a block */
    uint64_t passed;      /* amounts before it was armed */
    uint64_t kept_allocated; /* `allocated` before a client was asked */
    uint32_t process;        /* that it is of: countdown_lock() */
    uint32_t
        number; /* of this thread, from 1, in the order of their first calls */
    uint32_t is_taken; /* by a thread that has not ended */
    uint32_t followed; /* the last generation that it has noticed */
    uintptr_t
        stack; /* the program's stack pointer at its last slow call; or 0 */

    /* The carrier's, for is_own_stack(): what it knows of this thread's
       stack. */
    struct {
        uintptr_t thread, low, high;
    } own_stack;

    /* While this word is 0 no client need be asked; NULL: there is none. */
    const int *polled;
    _Alignas(16) unsigned char rooms[COUNTDOWN_CLIENTS][COUNTDOWN_ROOM];

    /* These stay when another thread takes over the struct. */
    void *stacks;                /* what the carrier keeps for call_stack() */
    struct counted_thread *next; /* all that there ever were */
};

/* What the recorder, or else libtally, provides to the countdown. */
struct countdown_carrier {
    struct countdown_words *words;
    void (*changed)(void); /* the generation has changed; or NULL */

    /*
     * The calls that led to `origin` of a counted_block, innermost first; how
     * many. Valid until the thread's next call. NULL: call stacks are unknown.
     */
    size_t (*call_stack)(struct counted_thread *thread, const void *origin,
                         const uintptr_t **frames);

    /* Whether the program's malloc is counted. NULL: it is not. */
    bool (*sees_malloc)(void);

    /* Whether both addresses lie in the calling thread's stack. NULL:
       unknown. */
    bool (*is_own_stack)(uintptr_t low, uintptr_t high);

    /* Whether both calls are in one function. NULL: they are. */
    bool (*same_function)(uintptr_t a, uintptr_t b);

    /*
     * The call, in the function whose frame holds `place`, that led to a
     * function of this library with the frame `frame`; or the call of that.
     * NULL: this one.
     */
    uintptr_t (*call_in)(uintptr_t place, uintptr_t frame);

    /* The process may hold `limit` bytes, 0: any number, and holds so many.
       NULL: whatever it is. */
    void (*holds)(uint64_t limit, uint64_t bytes);

    /* What the environment says of a name, if it may be trusted; or NULL. */
    const char *(*setting)(const char *name);
};

extern HIDDEN struct countdown_carrier countdown_carrier;

/* Threads that have not counted yet, and those that will not any more. */
extern HIDDEN struct counted_thread countdown_no_thread, countdown_ended;

/* Whether anything counts in this process. */
static inline bool countdown_is_on(void)
{
    return __atomic_load_n(&countdown_carrier.words->generation,
                           __ATOMIC_RELAXED) != 0;
}

/* Whether this client is asked in this process. */
static inline bool countdown_has(enum countdown_client_number number)
{
    return (__atomic_load_n(&countdown_carrier.words->clients,
                            __ATOMIC_RELAXED) >>
                number &
            1) != 0;
}

/*
 * Whether a thread may count on by itself in a generation, in a slower way if
 * need be. A handler may take the word away at any moment.
 */
static inline bool countdown_is_in(const struct counted_thread *thread,
                                   uint32_t generation)
{
    const int *polled = __atomic_load_n(&thread->polled, __ATOMIC_RELAXED);
    uint32_t armed = __atomic_load_n(&thread->generation, __ATOMIC_RELAXED);

    return armed == generation ||
           (armed == COUNTDOWN_POLLS && thread->followed == generation &&
            polled != NULL && __atomic_load_n(polled, __ATOMIC_ACQUIRE) == 0);
}

/* Whether any client may refuse what is announced. */
static inline bool countdown_may_refuse(void)
{
    return countdown_has(COUNTDOWN_LIMITS) || countdown_has(COUNTDOWN_MEMPROF);
}

/* Count an amount. False: it is not counted, the slow way is due. */
static inline __attribute__((always_inline)) bool
countdown_pass_amount(struct counted_thread *thread, uint64_t amount)
{
    if (__builtin_expect(words_subtract_64(&thread->countdown, amount), 0)) {
        words_subtract_64(&thread->countdown, 0 - amount);
        return false;
    }
    return true;
}

/* The same for a block of `size` bytes. */
static inline __attribute__((always_inline)) bool
countdown_pass(struct counted_thread *thread, size_t size)
{
    if (!countdown_pass_amount(thread, (size + thread->add) & thread->mask))
        return false;
    thread->allocated += size & thread->billed;
    return true;
}

/* For a thread of a generation of COUNTDOWN_WORDS. */
static inline __attribute__((always_inline)) bool
countdown_pass_by_words(struct counted_thread *thread, size_t size)
{
    return countdown_pass_amount(thread, (size + 2 * COUNTDOWN_WORD - 1) &
                                             ~(size_t)(COUNTDOWN_WORD - 1));
}

/* Of COUNTDOWN_BYTES. */
static inline __attribute__((always_inline)) bool
countdown_pass_by_bytes(struct counted_thread *thread, size_t size)
{
    return countdown_pass_amount(thread, size);
}

/* What has just passed adds no bytes: it failed, or reuses its old memory. */
static inline void countdown_unbill(struct counted_thread *thread, size_t size)
{
    thread->allocated -= size & (thread->billed | thread->derived);
}

/*
 * The calling thread, which counts from now on; it has followed every change of
 * the generation. NULL: it does not, for it is in here already, or ends, or
 * there is no memory.
 */
struct counted_thread *countdown_thread(void);

/* The same even while nothing counts: for what a thread keeps until then. */
struct counted_thread *countdown_thread_make(void);

/* The calling thread if it has counted already, also while a client is asked;
   or NULL. */
struct counted_thread *countdown_thread_if_any(void);

/* In place of a block that takes `before` bytes; 0: of none. */
bool countdown_allows(struct counted_thread *thread, size_t size,
                      size_t before);

void countdown_fail(struct counted_thread *thread, size_t size);

/* Count a block that was allocated; or, with an announcement, one that is about
   to be resized. False: it is not to be. */
bool countdown_count(struct counted_thread *thread,
                     const struct counted_block *counted);

/* A block that was announced. */
void countdown_finish(struct counted_thread *thread,
                      const struct counted_block *counted);

/* What a client keeps of an announced block. */
static inline void *countdown_kept(const struct counted_block *counted,
                                   enum countdown_client_number number)
{
    return counted->announcement->kept[number];
}

/* Amounts since the thread was armed. C2 */
static inline uint64_t countdown_since(const struct counted_thread *thread)
{
    return thread->is_busy != 0 ? 0 : thread->armed - thread->countdown;
}

/* Amounts that the thread has allocated since it began. */
static inline uint64_t countdown_position(const struct counted_thread *thread)
{
    return thread->passed + countdown_since(thread);
}

/*
 * Bytes that it has requested and got, exact while any client counts them. A
 * client that is asked finds the same in `allocated`.
 */
static inline uint64_t countdown_allocated(const struct counted_thread *thread)
{
    return thread->allocated + (countdown_since(thread) & thread->derived);
}

/* Guard a lock as C4 demands, for memory that is no block; false: not now. */
bool countdown_begin_take(struct counted_thread *thread);
void countdown_end_take(struct counted_thread *thread);

/* Take what clients keep of a block that block_table.h lets through. */
bool countdown_take(void *block, struct sample_taken *taken);
void countdown_retire(const struct sample_taken *taken);
void countdown_put_back(const struct sample_taken *taken);

/* For allocators that call no entry point of the recorder's: slabs and
   heaps. */
extern HIDDEN const struct sample_calls countdown_samples;

/*
 * For calls of the program that are no allocations and run callbacks of its
 * own: what it allocates meanwhile is not counted. False: the thread is there
 * already.
 */
bool countdown_enter(struct counted_thread *thread);
void countdown_leave(struct counted_thread *thread);

/*
 * Call these before and after a callback of the program; `thread`, which has
 * entered, may be NULL. The callback does not change errno.
 */
int countdown_begin_callback(struct counted_thread *thread);
void countdown_end_callback(struct counted_thread *thread, int error);

/* Ask all before the calling thread's next block. Signal handlers, too. */
static inline void countdown_recall(struct counted_thread *thread)
{
    __atomic_store_n(&thread->followed, COUNTDOWN_NO_GENERATION,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&thread->generation, COUNTDOWN_NO_GENERATION,
                     __ATOMIC_RELAXED);
}

/*
 * Have a client asked from now on, in all threads; NULL: no more. Call it again
 * with the same client when its distances have changed: all threads ask anew.
 * With the lock held.
 */
void countdown_set_client(enum countdown_client_number number,
                          const struct countdown_client *client);

extern HIDDEN const struct countdown_client
    *countdown_clients[COUNTDOWN_CLIENTS];

/* The client that is asked now, or NULL; and the last one that ever was. */
static inline const struct countdown_client *
countdown_client_of(unsigned number)
{
    return __atomic_load_n(&countdown_clients[number], __ATOMIC_ACQUIRE);
}

const struct countdown_client *countdown_client_once(unsigned number);

/* Begin a new generation, so that all threads ask their clients anew. */
void countdown_change(void);

/*
 * Take and give back the lock of what clients share. The number that is
 * returned is another one after a fork: what clients kept before is not this
 * process's.
 */
uint32_t countdown_lock(void);
void countdown_unlock(void);
bool countdown_is_locked(void);

/* Whether this is the process that a number was returned in. */
extern HIDDEN uint32_t countdown_process;

static inline bool countdown_is_process(uint32_t number)
{
    return countdown_carrier.words->is_open != 0 &&
           __atomic_load_n(&countdown_process, __ATOMIC_RELAXED) == number;
}

/* All threads that ever counted, with the lock held; the last one's next is
   NULL. */
struct counted_thread *countdown_threads(void);

/* The room of a client. */
static inline void *countdown_room(struct counted_thread *thread,
                                   enum countdown_client_number number)
{
    return thread->rooms[number];
}
