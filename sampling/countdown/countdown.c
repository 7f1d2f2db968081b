/* SPDX-License-Identifier: Apache-2.0 */
/*
 * countdown.c - counting threads and their clients; see countdown.h
 *
 * This file is long because it is one state machine: a thread counts, calls its
 * clients, takes their records of a block, and runs callbacks.
 */
#include "sampling/countdown/countdown.h"

#include <string.h>

#include "core/base/own_memory.h"
#include "core/base/word_lock.h"
#include "format/invariant.h"
#include "sampling/countdown/block_table.h"
#include "tally/port.h"

_Static_assert((int)SAMPLE_CLIENTS == (int)COUNTDOWN_CLIENTS,
               "sample.h has room for each client");

#ifndef TALLY_RECORDER
static struct countdown_words local_words;

struct countdown_carrier countdown_carrier = { .words = &local_words };
#endif

struct counted_thread countdown_no_thread = {
    .generation = COUNTDOWN_NO_GENERATION,
    .is_busy = 1,
};

struct counted_thread countdown_ended = {
    .generation = COUNTDOWN_NO_GENERATION,
    .is_busy = 1,
};

/* Never 0, the process of the two structs above. */
uint32_t countdown_process = 1;

const struct countdown_client *countdown_clients[COUNTDOWN_CLIENTS];

/* Clients that were ever set, even in the parent of a fork. */
static const struct countdown_client *ever[COUNTDOWN_CLIENTS];

/* Protected by the lock, except for the list of threads, which only grows. */
static struct {
    struct counted_thread *threads;
    uint32_t last_number;
    uint32_t last_generation;
} all;

const struct countdown_client *countdown_client_once(unsigned number)
{
    return __atomic_load_n(&ever[number], __ATOMIC_RELAXED);
}

static uint32_t generation_now(void)
{
    return __atomic_load_n(&countdown_carrier.words->generation,
                           __ATOMIC_ACQUIRE);
}

static struct counted_thread **own_slot(void)
{
    return (struct counted_thread **)tally_port_thread_word();
}

uint32_t countdown_lock(void)
{
    struct countdown_words *words = countdown_carrier.words;

    word_lock_take(&words->lock);
    if (words->is_open == 0) {
        INVARIANT(C3, words->generation == 0 && words->clients == 0);
        /* Perhaps a forked child: forget the parent's clients and threads. */
        memset(countdown_clients, 0, sizeof countdown_clients);
        all.threads = NULL;
        __atomic_store_n(&countdown_process, countdown_process + 1,
                         __ATOMIC_RELAXED);
        block_filter_clear();
        words->is_open = 1;
    }
    return countdown_process;
}

void countdown_unlock(void)
{
    word_lock_give(&countdown_carrier.words->lock);
}

bool countdown_is_locked(void)
{
    return __atomic_load_n(&countdown_carrier.words->lock, __ATOMIC_RELAXED) !=
           WORD_LOCK_FREE;
}

struct counted_thread *countdown_threads(void)
{
    return __atomic_load_n(&all.threads, __ATOMIC_ACQUIRE);
}

static uint32_t unit_now(void)
{
    uint32_t counts = 0;

    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        if (countdown_clients[i] != NULL)
            counts |= countdown_clients[i]->counts;
    }
    return (counts & COUNTDOWN_WORDS) != 0 ? counts : COUNTDOWN_BYTES;
}

/* Return a generation that is neither 0 nor has all bits set. */
static uint32_t next_generation(void)
{
    uint32_t next;

    do {
        next = __atomic_add_fetch(&all.last_generation, COUNTDOWN_UNITS + 1,
                                  __ATOMIC_RELAXED);
    } while (next == 0 ||
             next == (COUNTDOWN_NO_GENERATION & ~(uint32_t)COUNTDOWN_UNITS));
    return next | unit_now();
}

void countdown_change(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct countdown_words *words = countdown_carrier.words;

    __atomic_store_n(&words->generation,
                     words->clients != 0 ? next_generation() : 0,
                     __ATOMIC_SEQ_CST);
    if (thread != NULL && countdown_enter(thread)) {
        countdown_leave(thread);
        INVARIANT(C1,
                  thread->armed == 0 || thread->followed == generation_now());
    }
    if (countdown_carrier.changed != NULL)
        countdown_carrier.changed();
}

void countdown_set_client(enum countdown_client_number number,
                          const struct countdown_client *client)
{
    uint32_t *asked = &countdown_carrier.words->clients;
    uint32_t bit = UINT32_C(1) << number;

    __atomic_store_n(&sample_calls, &countdown_samples, __ATOMIC_RELEASE);
    __atomic_store_n(&sample_generation, &countdown_carrier.words->generation,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&countdown_clients[number], client, __ATOMIC_RELEASE);
    if (client != NULL)
        __atomic_store_n(&ever[number], client, __ATOMIC_RELAXED);
    __atomic_store_n(asked, client != NULL ? *asked | bit : *asked & ~bit,
                     __ATOMIC_RELEASE);
    countdown_change();
}

/* Take a struct for a thread. With the lock held. */
static struct counted_thread *take_thread(void)
{
    static struct own_memory own = OWN_MEMORY;
    struct counted_thread *thread = all.threads;

    while (thread != NULL &&
           __atomic_load_n(&thread->is_taken, __ATOMIC_ACQUIRE) != 0)
        thread = thread->next;
    if (thread != NULL) {
        memset(thread, 0, offsetof(struct counted_thread, stacks));
    } else {
        thread = own_memory_alloc(&own, sizeof *thread);
        if (thread == NULL)
            return NULL;
        thread->next = all.threads;
        __atomic_store_n(&all.threads, thread, __ATOMIC_RELEASE);
    }
    thread->generation = thread->followed = COUNTDOWN_NO_GENERATION;
    thread->number = ++all.last_number;
    thread->process = countdown_process;
    __atomic_store_n(&thread->is_taken, 1, __ATOMIC_RELAXED);
    return thread;
}

/* End a thread. Its later allocations and frees are not counted. */
static void end_thread(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL)
        return;
    if (thread->process == countdown_process && countdown_enter(thread)) {
        for (unsigned i = 0;
             i < COUNTDOWN_CLIENTS && countdown_is_process(thread->process);
             i++) {
            const struct countdown_client *client = countdown_client_of(i);

            if (client != NULL && client->leave != NULL)
                client->leave(thread);
        }
    }
    __atomic_store_n(own_slot(), &countdown_ended, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->is_taken, 0, __ATOMIC_RELEASE);
}

static void inherit(struct counted_thread *thread,
                    const struct counted_thread *parent)
{
    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_once(i);

        if (client == NULL || client->inherit == NULL)
            continue;
        thread->allocated = countdown_allocated(parent);
        client->inherit(thread, parent);
    }
}

/* Start a thread. In a forked child, a thread known from the parent starts
   again. */
static struct counted_thread *begin_thread(struct counted_thread **slot)
{
    const struct counted_thread *before = *slot;
    struct counted_thread *thread;

    *slot = &countdown_ended; /* allocations meanwhile are not counted */
    countdown_lock();
    thread = take_thread();
    countdown_unlock();
    if (thread == NULL) {
        *slot = &countdown_no_thread;
        return NULL;
    }
    thread->is_busy = 1;
    if (before != NULL && before != &countdown_no_thread)
        inherit(thread, before);
    __atomic_store_n(slot, thread, __ATOMIC_RELAXED);
    tally_port_at_thread_end(end_thread);
    thread->is_busy = 0;
    return thread;
}

/* Tell the clients of the new generation, and set the units of amounts. */
static void follow(struct counted_thread *thread, uint32_t generation)
{
    uint32_t unit = generation & COUNTDOWN_UNITS;

    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_of(i);

        if (client != NULL)
            client->follow(thread);
    }
    thread->add = unit != COUNTDOWN_BYTES ? 2 * COUNTDOWN_WORD - 1 : 0;
    thread->mask =
        unit != COUNTDOWN_BYTES ? ~(size_t)(COUNTDOWN_WORD - 1) : SIZE_MAX;
    thread->billed = unit == COUNTDOWN_BOTH ? SIZE_MAX : 0;
    thread->derived = unit == COUNTDOWN_BYTES ? SIZE_MAX : 0;
    __atomic_store_n(&thread->followed, generation, __ATOMIC_RELAXED);
}

/* Adopt the generation, unless a handler recalls the thread in between. */
static void take_generation(struct counted_thread *thread)
{
    uint32_t followed = __atomic_load_n(&thread->followed, __ATOMIC_RELAXED);
    bool polls = thread->polled != NULL && followed != COUNTDOWN_NO_GENERATION;

    __atomic_store_n(&thread->generation, polls ? COUNTDOWN_POLLS : followed,
                     __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&thread->followed, __ATOMIC_RELAXED) != followed)
        countdown_recall(thread);
}

/* Return the amount until a client is due; 0 if a change was not followed
   yet. */
static uint64_t nearest(struct counted_thread *thread)
{
    uint64_t least = COUNTDOWN_NEVER;

    if (thread->followed != generation_now())
        return 0;
    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_of(i);
        uint64_t distance;

        if (client == NULL)
            continue;
        distance = client->distance(thread);
        least = distance < least ? distance : least;
    }
    return least;
}

static void arm(struct counted_thread *thread)
{
    thread->polled = NULL;
    thread->armed = nearest(thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->countdown = thread->armed;
    take_generation(thread);
}

void countdown_leave(struct counted_thread *thread)
{
    INVARIANT(C2, thread->is_busy != 0);
    thread->allocated = thread->kept_allocated;
    arm(thread);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->is_busy = 0;
}

void countdown_arm(struct counted_thread *thread, uint32_t generation)
{
    if (thread->followed == generation &&
        thread->generation == COUNTDOWN_NO_GENERATION &&
        countdown_enter(thread))
        countdown_leave(thread);
}

struct counted_thread *countdown_thread_if_any(void)
{
    struct counted_thread *thread = *own_slot();

    return thread != NULL && thread->process == countdown_process ? thread
                                                                  : NULL;
}

struct counted_thread *countdown_thread_make(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    return thread != NULL || *own_slot() == &countdown_ended
               ? thread
               : begin_thread(own_slot());
}

struct counted_thread *countdown_thread(void)
{
    uint32_t generation = generation_now();
    struct counted_thread *thread;

    thread = generation != 0 ? countdown_thread_make() : NULL;
    if (thread == NULL || thread->is_busy != 0 || thread->is_taking != 0)
        return NULL;
    while (thread->followed != generation) {
        countdown_enter(thread);
        follow(thread, generation);
        countdown_leave(thread);
        generation = generation_now();
    }
    return thread;
}

bool countdown_allows(struct counted_thread *thread, size_t size, size_t before)
{
    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_of(i);

        if (client != NULL && client->allows != NULL &&
            !client->allows(thread, size, before))
            return false;
    }
    return true;
}

typedef bool (*ask_fn)(unsigned number, struct counted_thread *thread,
                       const struct counted_block *counted);

static void add(struct counted_thread *thread,
                const struct counted_block *counted)
{
    thread->countdown -= (counted->size + thread->add) & thread->mask;
    thread->allocated += counted->size & thread->billed;
    if (counted->is_suballocated)
        countdown_unbill(thread, counted->size);
}

/* Call the clients until one refuses, or its callback forks: the other clients
   are then the parent's. The thread has entered. */
static inline __attribute__((always_inline)) bool
ask_all(struct counted_thread *thread, const struct counted_block *counted,
        ask_fn ask)
{
    bool is_kept = true;

    for (unsigned i = 0; i < COUNTDOWN_CLIENTS && is_kept &&
                         countdown_is_process(thread->process);
         i++) {
        is_kept = ask(i, thread, counted);
        thread->allocated = thread->kept_allocated;
    }
    return is_kept;
}

static bool ask_to_count(unsigned number, struct counted_thread *thread,
                         const struct counted_block *counted)
{
    const struct countdown_client *client = countdown_client_of(number);

    return client == NULL || client->count(thread, counted);
}

static bool ask_to_announce(unsigned number, struct counted_thread *thread,
                            const struct counted_block *counted)
{
    const struct countdown_client *client = countdown_client_of(number);

    if (client == NULL || client->announce == NULL)
        return true;
    counted->announcement->told |= UINT32_C(1) << number;
    return client->announce(thread, counted);
}

/* A client that was told may be off by now: callbacks can stop it. */
static bool ask_to_settle(unsigned number, struct counted_thread *thread,
                          const struct counted_block *counted)
{
    if ((counted->announcement->told >> number & 1) != 0)
        countdown_client_once(number)->count(thread, counted);
    else if (counted->block != NULL)
        ask_to_count(number, thread, counted);
    return true;
}

bool countdown_count(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    /* Bytes charged, which are refunded if a client refuses the block. */
    uint64_t charge = counted->is_suballocated
                          ? 0
                          : counted->size & (thread->billed | thread->derived);
    bool is_kept;

    add(thread, counted);
    if (counted->announcement != NULL)
        counted->announcement->charge = charge;
    if (!countdown_enter(thread))
        return true;
    is_kept = counted->announcement != NULL
                  ? ask_all(thread, counted, ask_to_announce)
                  : ask_all(thread, counted, ask_to_count);
    if (!is_kept)
        thread->kept_allocated -= charge;
    countdown_leave(thread);
    return is_kept;
}

void countdown_finish(struct counted_thread *thread,
                      const struct counted_block *counted)
{
    if (!countdown_enter(thread))
        return;
    if (counted->block == NULL)
        thread->allocated = thread->kept_allocated -=
            counted->announcement->charge;
    ask_all(thread, counted, ask_to_settle);
    countdown_leave(thread);
}

void countdown_fail(struct counted_thread *thread, size_t size)
{
    if (!countdown_enter(thread))
        return;
    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_of(i);

        if (client != NULL && client->fail != NULL)
            client->fail(thread, size);
    }
    countdown_leave(thread);
}

bool countdown_begin_take(struct counted_thread *thread)
{
    if (thread->is_taking != 0 ||
        (thread->is_busy != 0 && thread->in_callback == 0))
        return false;
    thread->is_taking = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

void countdown_end_take(struct counted_thread *thread)
{
    INVARIANT(C4, thread->is_taking != 0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->is_taking = 0;
}

bool countdown_take(void *block, struct sample_taken *taken)
{
    struct counted_thread *thread = countdown_thread_make();
    bool is_any = false;

    if (thread != NULL && !countdown_begin_take(thread))
        return false;
    taken->process = countdown_process;
    taken->is_replaced = false;
    for (unsigned i = 0; i < COUNTDOWN_CLIENTS; i++) {
        const struct countdown_client *client = countdown_client_of(i);

        taken->of[i] =
            client != NULL && client->take != NULL ? client->take(block) : NULL;
        is_any |= taken->of[i] != NULL;
    }
    if (thread != NULL)
        countdown_end_take(thread);
    return is_any;
}

/* Retire each client's record of the block, even if no client is set any more.
   In a child forked in a callback, clients have no records. */
void countdown_retire(const struct sample_taken *taken)
{
    struct counted_thread *thread = countdown_thread();

    if (thread == NULL)
        thread = countdown_thread_if_any();
    for (unsigned i = 0;
         i < COUNTDOWN_CLIENTS && countdown_is_process(taken->process); i++) {
        if (taken->of[i] != NULL)
            countdown_client_once(i)->retire(thread, taken->of[i],
                                             taken->is_replaced);
    }
}

void countdown_put_back(const struct sample_taken *taken)
{
    for (unsigned i = 0;
         i < COUNTDOWN_CLIENTS && countdown_is_process(taken->process); i++) {
        if (taken->of[i] != NULL)
            countdown_client_once(i)->put_back(taken->of[i]);
    }
}

static bool made(void *block, size_t bytes, void *caller)
{
    struct counted_thread *thread = countdown_thread();
    const struct counted_block counted = { .block = block,
                                           .size = bytes,
                                           .caller = (uintptr_t)caller,
                                           .is_suballocated = true };

    if (thread == NULL)
        return true;
    if (!countdown_pass(thread, bytes))
        return countdown_count(thread, &counted);
    countdown_unbill(thread, bytes); /* suballocated */
    return true;
}

static bool take(void *block, struct sample_taken *taken)
{
    return block_filter_may_have(block) && countdown_is_on() &&
           countdown_take(block, taken);
}

static void freed(void *block)
{
    struct sample_taken taken;

    if (take(block, &taken))
        countdown_retire(&taken);
}

static void finish(const struct sample_taken *taken, bool is_gone)
{
    if (is_gone)
        countdown_retire(taken);
    else
        countdown_put_back(taken);
}

const struct sample_calls countdown_samples = {
    .made = made,
    .freed = freed,
    .take = take,
    .finish = finish,
};

/* A thread that has ended may still free, but has no rooms any more. */
static void set_in_callback(struct counted_thread *thread, uint32_t is_in)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread != NULL)
        __atomic_store_n(&thread->in_callback, is_in, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

int countdown_begin_callback(struct counted_thread *thread)
{
    set_in_callback(thread, 1);
    return *tally_port_errno();
}

void countdown_end_callback(struct counted_thread *thread, int error)
{
    set_in_callback(thread, 0);
    *tally_port_errno() = error;
}
