/* SPDX-License-Identifier: Apache-2.0 */
/*
 * countdown.h - count allocations down to the next event, by one subtraction
 *
 * Several clients handle some of a thread's allocations: the next sample, the
 * end of a nursery epoch, the allocation that reaches a limit. Each client
 * states the distance to its next event. The smallest distance arms the
 * countdown, and no client is called before it has passed:
 *
 *     if (!countdown_pass(thread, size)) { the slow path }
 *
 * The countdown counts amounts. If a client counts words, the amount of a block
 * is 8 times its words, including one for a header; otherwise its bytes. An
 * amount is never less than the requested bytes. So a client that counts bytes
 * is called too early at worst: it reads `allocated` and states its new
 * distance.
 *
 * The slow path is
 *
 *     thread = countdown_thread();
 *     if (thread == NULL) { allocate, and that is all }
 *     if (!countdown_allows(thread, size, 0)) { fail with ENOMEM }
 *     block = the allocator's;
 *     if (block == NULL) { countdown_fail(thread, size) }
 *     else if (!countdown_count(thread, &counted)) { free it }
 *
 * A failed request allocates no bytes, but its words count as trials: otherwise
 * the next request would be sampled more or less often than others.
 *
 * A realloc that a client refuses must preserve the old block. So clients are
 * called first:
 *
 *     counted.announcement = &announcement;
 *     if (!countdown_count(thread, &counted)) { fail with ENOMEM }
 *     counted.block = the allocator's, or NULL;
 *     countdown_finish(thread, &counted);
 *
 *   C1  only a thread itself writes its countdown. A change for all threads is
 *       a new generation, which each thread compares with its own before it
 *       subtracts. It also ends the countdown of the thread that makes the
 *       change
 *   C2  allocations of a thread while a client runs are not counted
 *   C3  in a forked child the words of struct countdown_words are zero: nothing
 *       is counted
 *   C4  clients are asked for their records of a block only while the thread is
 *       not in a client, except in its callbacks: a signal handler never waits
 *       for a lock of its own thread. Blocks that it frees meanwhile are not
 *       recorded as freed
 *
 * This file is long because it is the contract of threads, clients and carrier,
 * with what entry points do inline.
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
    COUNTDOWN_WORD = 8,   /* amounts per word */
    COUNTDOWN_ROOM = 640, /* bytes for each client in each thread */
};

/* Never the process's generation: such threads always take the slow path. */
#define COUNTDOWN_NO_GENERATION UINT32_MAX

/* Generation of a thread that checks `polled` before it goes on. */
#define COUNTDOWN_POLLS (UINT32_MAX - 1)

/* More than any thread allocates. */
#define COUNTDOWN_NEVER (UINT64_C(1) << 61)

struct counted_thread {
    uint64_t countdown;      /* amount left until an event is due */
    uint64_t armed;          /* its initial value */
    uint64_t allocated;      /* requested bytes: countdown_allocated() */
    size_t add, mask;        /* amount = (bytes + add) & mask */
    size_t billed;           /* all bits set: add bytes to `allocated`; or 0 */
    size_t derived;          /* all bits set: derive bytes from amounts, in the
                             slow path; or 0 */
    uint32_t generation;     /* generation when armed; or COUNTDOWN_POLLS */
    uint32_t is_busy;        /* a client runs */
    uint32_t in_callback;    /* ... and calls the program */
    uint32_t is_taking;      /* a client is asked for its record of a block */
    uint64_t passed;         /* amounts before the last arming */
    uint64_t kept_allocated; /* `allocated` before a client was called */
    uint32_t process;        /* process it belongs to: countdown_lock() */
    uint32_t number; /* number of the thread, from 1, in order of first calls */
    uint32_t is_taken; /* by a thread that has not ended */
    uint32_t followed; /* last generation that it adopted */
    uintptr_t
        stack; /* the program's stack pointer at its last slow call; or 0 */

    /* Used by the carrier's is_own_stack(): bounds of this thread's stack. */
    struct {
        uintptr_t thread, low, high;
    } own_stack;

    /* No client needs a call while this word is 0; NULL: no word. */
    const int *polled;
    _Alignas(16) unsigned char rooms[COUNTDOWN_CLIENTS][COUNTDOWN_ROOM];

    /* Fields that persist when another thread takes over the struct. */
    void *stacks;                /* state of the carrier's call_stack() */
    struct counted_thread *next; /* list of all structs, in use or not */
};

/* Functions of the recorder, or else of libtally, for the countdown. */
struct countdown_carrier {
    struct countdown_words *words;
    void (*changed)(void); /* called after a change of generation; or NULL */

    /*
     * Return the number of calls that led to `origin` of a counted_block, and
     * store them, innermost first. Valid until the thread's next call. NULL:
     * call stacks are unknown.
     */
    size_t (*call_stack)(struct counted_thread *thread, const void *origin,
                         const uintptr_t **frames);

    /* Return true if the program's malloc is counted. NULL: it is not. */
    bool (*sees_malloc)(void);

    /* Return true if both addresses lie in the calling thread's stack. NULL:
       unknown. */
    bool (*is_own_stack)(uintptr_t low, uintptr_t high);

    /* Publish the process's limit in bytes (0: none) and its live bytes. NULL:
       do not. */
    void (*holds)(uint64_t limit, uint64_t bytes);

    /* Return the value of an environment variable, if it can be trusted; or
       NULL. */
    const char *(*setting)(const char *name);
};

extern HIDDEN struct countdown_carrier countdown_carrier;

/* Structs for threads that have not counted yet, and for those that have
   ended. */
extern HIDDEN struct counted_thread countdown_no_thread, countdown_ended;

/* Return true if anything is counted in this process. */
static inline bool countdown_is_on(void)
{
    return __atomic_load_n(&countdown_carrier.words->generation,
                           __ATOMIC_RELAXED) != 0;
}

/* Return true if this client is set in this process. */
static inline bool countdown_has(enum countdown_client_number number)
{
    return (__atomic_load_n(&countdown_carrier.words->clients,
                            __ATOMIC_RELAXED) >>
                number &
            1) != 0;
}

/* Return true if a thread may go on counting in a generation, even if it must
   poll. A handler may clear `polled` at any time. */
static inline bool countdown_is_in(const struct counted_thread *thread,
                                   uint32_t generation)
{
    const int *polled = __atomic_load_n(&thread->polled, __ATOMIC_RELAXED);
    uint32_t armed = __atomic_load_n(&thread->generation, __ATOMIC_RELAXED);

    return armed == generation ||
           (armed == COUNTDOWN_POLLS && thread->followed == generation &&
            polled != NULL && __atomic_load_n(polled, __ATOMIC_ACQUIRE) == 0);
}

/* Return true if any client may refuse an announced block. */
static inline bool countdown_may_refuse(void)
{
    return countdown_has(COUNTDOWN_LIMITS) || countdown_has(COUNTDOWN_MEMPROF);
}

/* Count an amount. Return false, without counting it, if the slow path is
   due. */
static inline __attribute__((always_inline)) bool
countdown_pass_amount(struct counted_thread *thread, uint64_t amount)
{
    if (__builtin_expect(words_subtract_64(&thread->countdown, amount), 0)) {
        words_subtract_64(&thread->countdown, 0 - amount);
        return false;
    }
    return true;
}

/* Count a block of `size` bytes, as above. */
static inline __attribute__((always_inline)) bool
countdown_pass(struct counted_thread *thread, size_t size)
{
    if (!countdown_pass_amount(thread, (size + thread->add) & thread->mask))
        return false;
    thread->allocated += size & thread->billed;
    return true;
}

/* For threads in a generation of COUNTDOWN_WORDS. */
static inline __attribute__((always_inline)) bool
countdown_pass_by_words(struct counted_thread *thread, size_t size)
{
    return countdown_pass_amount(thread, (size + 2 * COUNTDOWN_WORD - 1) &
                                             ~(size_t)(COUNTDOWN_WORD - 1));
}

/* For threads in a generation of COUNTDOWN_BYTES. */
static inline __attribute__((always_inline)) bool
countdown_pass_by_bytes(struct counted_thread *thread, size_t size)
{
    return countdown_pass_amount(thread, size);
}

/* Refund the bytes of a block just counted: it failed, or reuses its old
   memory. */
static inline void countdown_unbill(struct counted_thread *thread, size_t size)
{
    thread->allocated -= size & (thread->billed | thread->derived);
}

/*
 * Return the calling thread, which counts from now on and has adopted the
 * current generation; NULL if it already runs a client, is ending, or there is
 * no memory.
 */
struct counted_thread *countdown_thread(void);

/* Like countdown_thread(), but even while nothing is counted: for state that a
   thread keeps until then. */
struct counted_thread *countdown_thread_make(void);

/* Return the calling thread if it has counted before, even while a client runs;
   or NULL. */
struct counted_thread *countdown_thread_if_any(void);

/* Return true if the clients allow a block in place of one of `before` bytes
   (0: none). */
bool countdown_allows(struct counted_thread *thread, size_t size,
                      size_t before);

void countdown_fail(struct counted_thread *thread, size_t size);

/* Count a block that was allocated; or, with an announcement, one about to be
   resized. Return false if a client refuses it. */
bool countdown_count(struct counted_thread *thread,
                     const struct counted_block *counted);

/* Finish an announced block. */
void countdown_finish(struct counted_thread *thread,
                      const struct counted_block *counted);

/* Return a client's state of an announced block. */
static inline void *countdown_kept(const struct counted_block *counted,
                                   enum countdown_client_number number)
{
    return counted->announcement->kept[number];
}

/* Return the amount since the thread was armed. C2 */
static inline uint64_t countdown_since(const struct counted_thread *thread)
{
    return thread->is_busy != 0 ? 0 : thread->armed - thread->countdown;
}

/* Return the amount that the thread has allocated since it began. */
static inline uint64_t countdown_position(const struct counted_thread *thread)
{
    return thread->passed + countdown_since(thread);
}

/* Return the bytes that the thread has requested and received, exact while any
   client counts them. Clients find the same value in `allocated`. */
static inline uint64_t countdown_allocated(const struct counted_thread *thread)
{
    return thread->allocated + (countdown_since(thread) & thread->derived);
}

/* Guard a lock as C4 demands, for memory that is not a block; return false if
   that is not possible now. */
bool countdown_begin_take(struct counted_thread *thread);
void countdown_end_take(struct counted_thread *thread);

/* Take the clients' records of a block that passed the filters. */
bool countdown_take(void *block, struct sample_taken *taken);
void countdown_retire(const struct sample_taken *taken);
void countdown_put_back(const struct sample_taken *taken);

/* For allocators outside of the recorder's entry points: slabs and heaps. */
extern HIDDEN const struct sample_calls countdown_samples;

/* Stop counting in calls of the program that are not allocations and run its
   callbacks. Return false if the thread is already in such a call. */
static inline bool countdown_enter(struct counted_thread *thread)
{
    uint64_t since = countdown_since(thread);

    if (thread->is_busy != 0)
        return false;
    thread->passed += since;
    thread->allocated += since & thread->derived;
    thread->is_busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->kept_allocated = thread->allocated;
    thread->armed = thread->countdown = COUNTDOWN_NEVER;
    return true;
}

void countdown_leave(struct counted_thread *thread);

/* Like countdown_leave(), but leave the distances for the thread's next block:
   countdown_arm(). */
static inline void countdown_leave_unarmed(struct counted_thread *thread)
{
    thread->allocated = thread->kept_allocated;
    thread->armed = thread->countdown = 0;
    __atomic_store_n(&thread->generation, COUNTDOWN_NO_GENERATION,
                     __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->is_busy = 0;
}

/* Arm a thread that was left unarmed, if this is its generation. */
void countdown_arm(struct counted_thread *thread, uint32_t generation);

/* Call these before and after a callback of the program; `thread`, which has
   entered, may be NULL. They preserve errno. */
int countdown_begin_callback(struct counted_thread *thread);
void countdown_end_callback(struct counted_thread *thread, int error);

/* Call all clients before the calling thread's next block. Signal handlers may
   call it. */
static inline void countdown_recall(struct counted_thread *thread)
{
    __atomic_store_n(&thread->followed, COUNTDOWN_NO_GENERATION,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&thread->generation, COUNTDOWN_NO_GENERATION,
                     __ATOMIC_RELAXED);
}

/*
 * Set a client, for all threads; NULL removes it. Call it again with the same
 * client when its distances have changed, so that all threads ask anew. With
 * the lock held.
 */
void countdown_set_client(enum countdown_client_number number,
                          const struct countdown_client *client);

extern HIDDEN const struct countdown_client
    *countdown_clients[COUNTDOWN_CLIENTS];

/* Return the current client, or NULL; and the last one that was ever set. */
static inline const struct countdown_client *
countdown_client_of(unsigned number)
{
    return __atomic_load_n(&countdown_clients[number], __ATOMIC_ACQUIRE);
}

const struct countdown_client *countdown_client_once(unsigned number);

/* Begin a new generation, so that all threads ask their clients anew. */
void countdown_change(void);

/* Take and release the lock of the clients' shared state. The number returned
   changes after a fork: earlier state of clients belongs to another process. */
uint32_t countdown_lock(void);
void countdown_unlock(void);
bool countdown_is_locked(void);

/* Return true if countdown_lock() returned this number in this process. */
extern HIDDEN uint32_t countdown_process;

static inline bool countdown_is_process(uint32_t number)
{
    return countdown_carrier.words->is_open != 0 &&
           __atomic_load_n(&countdown_process, __ATOMIC_RELAXED) == number;
}

/* Return the list of all threads that ever counted. With the lock held. */
struct counted_thread *countdown_threads(void);

/* Return the memory of a client in a thread. */
static inline void *countdown_room(struct counted_thread *thread,
                                   enum countdown_client_number number)
{
    return thread->rooms[number];
}
