/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_blocks.c - what clients keep in mind of blocks; see countdown.h */
#include "sampling/countdown/block_filter.h"
#include "sampling/countdown/countdown.h"

_Static_assert((int)SAMPLE_CLIENTS == (int)COUNTDOWN_CLIENTS,
               "sample.h has room for each client");

#include "tally/port.h"

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

/*
 * Of each client that kept it, even if no client is asked any more. In the
 * child of a fork in a callback, clients keep nothing.
 */
void countdown_retire(const struct sample_taken *taken)
{
    struct counted_thread *thread = countdown_thread();

    if (thread == NULL)
        thread = countdown_thread_if_any();
    for (unsigned i = 0;
         i < COUNTDOWN_CLIENTS && countdown_is_process(taken->process); i++) {
        if (taken->of[i] != NULL)
            countdown_client_once(i)->retire(thread, taken->of[i]);
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
                                           .is_set_aside = true };

    if (thread == NULL)
        return true;
    if (!countdown_pass(thread, bytes))
        return countdown_count(thread, &counted);
    countdown_unbill(thread, bytes); /* it was set aside */
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

static void settle(const struct sample_taken *taken, bool is_gone)
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
    .settle = settle,
};

/* A thread that ends, and frees still, has no room any more. */
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
