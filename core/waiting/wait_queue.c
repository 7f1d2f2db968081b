/* SPDX-License-Identifier: Apache-2.0 */
/* wait_queue.c - queues of threads that wait for memory, and their
   priorities */
#include "core/waiting/wait_queue.h"

#include "core/base/clock.h"
#include "format/invariant.h"
#include "port/words.h"
#include "tally/thread.h"

struct tally_thread *tally_thread_current(void)
{
    return tally_port_thread();
}

void tally_thread_priority_change(struct tally_thread *thread, int priority)
{
    __atomic_store_n(&thread->priority, priority, __ATOMIC_RELAXED);
}

void tally_thread_priority_set(int priority)
{
    tally_thread_priority_change(tally_port_thread(), priority);
}

int tally_thread_priority_get(void)
{
    return __atomic_load_n(&tally_port_thread()->priority, __ATOMIC_RELAXED);
}

struct tally_waiter wait_queue_waiter(k_timeout_t timeout)
{
    uint64_t now = tally_time_ns();
    uint64_t until = now + (uint64_t)timeout.ns;

    if (timeout.ns < 0 || until < now)
        until = TALLY_PORT_FOREVER;
    return (struct tally_waiter){
        .thread = tally_port_thread(),
        .since_ns = now,
        .until_ns = until,
    };
}

/* All waiters of all queues, under a guard that is taken inside the queue's. */
static struct tally_waiter *all;
static uint32_t all_guard;

/* Forget the waiters of other threads, in a forked child, where no guard is
   held. */
static void forget_others(void)
{
    const struct tally_thread *own = tally_port_thread();
    struct tally_waiter *next;

    for (struct tally_waiter *waiter = all; waiter != NULL; waiter = next) {
        next = waiter->next_of_all;
        if (waiter->thread != own)
            wait_queue_remove(waiter);
    }
    INVARIANT(I3, all == NULL || all->thread == own);
}

void wait_queue_add(struct tally_waiter **queue, struct tally_waiter *waiter,
                    uint32_t *waiting)
{
    uint64_t kept;

    waiter->queue = queue;
    waiter->waiting = waiting;
    ++*waiting;
    while (*queue != NULL)
        queue = &(*queue)->next;
    waiter->next = NULL;
    *queue = waiter;
    kept = tally_port_guard(&all_guard);
    waiter->previous_of_all = NULL;
    waiter->next_of_all = all;
    if (all != NULL)
        all->previous_of_all = waiter;
    all = waiter;
    tally_port_on_fork(forget_others);
    tally_port_unguard(&all_guard, kept);
}

static void remove_from_all(const struct tally_waiter *waiter)
{
    uint64_t kept = tally_port_guard(&all_guard);

    if (waiter->next_of_all != NULL)
        waiter->next_of_all->previous_of_all = waiter->previous_of_all;
    if (waiter->previous_of_all != NULL)
        waiter->previous_of_all->next_of_all = waiter->next_of_all;
    else
        all = waiter->next_of_all;
    tally_port_unguard(&all_guard, kept);
}

void wait_queue_remove(struct tally_waiter *waiter)
{
    struct tally_waiter **queue = waiter->queue;

    while (*queue != waiter) {
        INVARIANT(I1, *queue != NULL);
        queue = &(*queue)->next;
    }
    *queue = waiter->next;
    --*waiter->waiting;
    remove_from_all(waiter);
}

static int priority_of(const struct tally_thread *thread)
{
    return __atomic_load_n(&thread->priority, __ATOMIC_RELAXED);
}

struct tally_waiter *wait_queue_best(struct tally_waiter *queue)
{
    struct tally_waiter *best = NULL;
    int priority = 0;

    for (struct tally_waiter *waiter = queue; waiter != NULL;
         waiter = waiter->next) {
        int its = priority_of(waiter->thread);

        if (waiter->is_passed || (best != NULL && its >= priority))
            continue;
        best = waiter;
        priority = its;
    }
    return best;
}

void wait_queue_pass_none(struct tally_waiter *queue)
{
    for (struct tally_waiter *waiter = queue; waiter != NULL;
         waiter = waiter->next)
        waiter->is_passed = false;
}

bool wait_queue_is_more_urgent(const struct tally_thread *thread,
                               const struct tally_waiter *waiter)
{
    return priority_of(thread) < priority_of(waiter->thread);
}

const uint32_t *wait_queue_serve(struct tally_waiter *waiter)
{
    const uint32_t *word = &waiter->word;

    INVARIANT(I2, *word != WAITER_IS_SERVED);
    __atomic_store_n(&waiter->word, WAITER_IS_SERVED, __ATOMIC_RELEASE);
    return word;
}

void wait_queue_stir(struct tally_waiter *queue)
{
    for (struct tally_waiter *waiter = queue; waiter != NULL;
         waiter = waiter->next) {
        __atomic_store_n(&waiter->word, WAITER_IS_STIRRED, __ATOMIC_RELEASE);
        tally_port_wake(&waiter->word);
    }
}

static uint32_t word_of(const struct tally_waiter *waiter)
{
    return __atomic_load_n(&waiter->word, __ATOMIC_ACQUIRE);
}

bool wait_queue_is_served(struct tally_waiter *waiter)
{
    if (word_of(waiter) == WAITER_IS_SERVED)
        return true;
    __atomic_store_n(&waiter->word, WAITER_WAITS, __ATOMIC_RELAXED);
    return false;
}

bool wait_queue_sleep(struct tally_waiter *waiter, uint64_t until_ns)
{
    if (waiter->until_ns < until_ns)
        until_ns = waiter->until_ns;
    while (word_of(waiter) == WAITER_WAITS) {
        if (until_ns != TALLY_PORT_FOREVER && tally_time_ns() >= until_ns)
            return false;
        tally_port_wait(&waiter->word, WAITER_WAITS, until_ns);
    }
    return word_of(waiter) == WAITER_IS_SERVED;
}

void wait_queue_leave(struct tally_waiter *waiter, uint64_t *longest_ns)
{
    uint64_t waited = tally_time_ns() - waiter->since_ns;

    wait_queue_remove(waiter);
    if (waited > *longest_ns)
        words_store_figure(longest_ns, waited);
}

#if TALLY_HAS(OS)
int32_t k_sleep(k_timeout_t timeout)
{
    struct tally_waiter waiter = wait_queue_waiter(timeout);

    while (timeout.ns != 0 && tally_time_ns() < waiter.until_ns)
        (void)wait_queue_sleep(&waiter, TALLY_PORT_FOREVER);
    return 0;
}
#endif
