/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_count.c - clients are asked about a block; see countdown.h */
#include "sampling/countdown/countdown.h"

typedef bool (*ask_fn)(unsigned number, struct counted_thread *thread,
                       const struct counted_block *counted);

/* Bytes charged for the block; taken off again if it is given back. */
static uint64_t charge_of(const struct counted_thread *thread,
                          const struct counted_block *counted)
{
    return counted->is_set_aside
               ? 0
               : counted->size & (thread->billed | thread->derived);
}

static void add(struct counted_thread *thread,
                const struct counted_block *counted)
{
    thread->countdown -= (counted->size + thread->add) & thread->mask;
    thread->allocated += counted->size & thread->billed;
    if (counted->is_set_aside)
        countdown_unbill(thread, counted->size);
}

/*
 * Until a client refuses, or its callback forks: the others are the parent's
 * then. The thread has entered.
 */
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

/* A client that was told may be off by now: a callback can stop it. */
static bool ask_to_settle(unsigned number, struct counted_thread *thread,
                          const struct counted_block *counted)
{
    if ((counted->announcement->told >> number & 1) != 0)
        countdown_client_once(number)->count(thread, counted);
    else if (counted->block != NULL)
        ask_to_count(number, thread, counted);
    return true;
}

static inline __attribute__((always_inline)) bool
add_and_ask(struct counted_thread *thread, const struct counted_block *counted,
            ask_fn ask)
{
    uint64_t charge = charge_of(thread, counted);
    bool is_kept;

    add(thread, counted);
    if (counted->announcement != NULL)
        counted->announcement->charge = charge;
    if (!countdown_enter(thread))
        return true;
    is_kept = ask_all(thread, counted, ask);
    if (!is_kept)
        thread->kept_allocated -= charge;
    countdown_leave(thread);
    return is_kept;
}

bool countdown_count(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    return add_and_ask(thread, counted, ask_to_count);
}

bool countdown_announce(struct counted_thread *thread,
                        const struct counted_block *counted)
{
    return add_and_ask(thread, counted, ask_to_announce);
}

void countdown_settle(struct counted_thread *thread,
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
