/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_wait.c - threads that wait for a block, and frees that serve them
 *
 * A thread that finds the list empty marks it as waited for, under the guard,
 * and enters the queue before it gives the guard back. A free that sees the
 * mark takes the guard and serves the queue; when the queue is empty, it takes
 * the mark away. So no wake-up is lost, and no block passes a waiter by.
 */
#include "core/slabs/mem_slab_list.h"
#include "core/waiting/wait_queue.h"

/* A block, or the mark on the empty list. Under the guard. */
static uint32_t take_or_mark(struct k_mem_slab *slab, uint32_t *owner)
{
    uint64_t list = slab_list_load(slab->counts);
    uint32_t block;

    for (;;) {
        block = slab_take(slab, owner);
        if (block != SLAB_NONE)
            return block;
        list = slab_list_load(slab->counts);
        if (slab_head(slab, list) >= slab->num_blocks &&
            slab_list_swap(slab->counts, &list, list | SLAB_WAITED_FOR))
            return SLAB_NONE;
    }
}

/* A waiter leaves, served or not. Under the guard. */
static void count_wait(struct tally_slab_counts *counts,
                       const struct tally_waiter *waiter)
{
    uint64_t waited = wait_queue_waited(waiter);

    if (waited > counts->longest_wait_ns)
        words_store_figure(&counts->longest_wait_ns, waited);
}

uint32_t slab_wait_for_block(struct k_mem_slab *slab, k_timeout_t timeout,
                             uint32_t *owner)
{
    struct tally_slab_state *state = slab->state;
    struct tally_waiter waiter = wait_queue_waiter(timeout);
    uint64_t kept = tally_port_guard(&state->guard);
    uint32_t block = take_or_mark(slab, owner);

    if (block == SLAB_NONE) {
        wait_queue_add(&state->waiters, &waiter, &slab->counts->waiting);
    }
    tally_port_unguard(&state->guard, kept);
    if (block != SLAB_NONE)
        return block;
    slab_publish(slab);
    if (!wait_queue_sleep(&waiter, TALLY_PORT_FOREVER)) {
        kept = tally_port_guard(&state->guard);
        if (waiter.word == WAITER_WAITS) {
            wait_queue_remove(&waiter);
            count_wait(slab->counts, &waiter);
            words_count(&slab->counts->timed_out);
        }
        tally_port_unguard(&state->guard, kept);
    }
    if (waiter.word == WAITER_WAITS) {
        slab_publish(slab);
        return SLAB_NONE;
    }
    *owner = waiter.owner;
    return waiter.block;
}

/* The block counts as taken; it is the waiter's. Under the guard. */
static const uint32_t *serve(struct k_mem_slab *slab,
                             struct tally_waiter *waiter, uint32_t block,
                             uint32_t owner)
{
    wait_queue_remove(waiter);
    count_wait(slab->counts, waiter);
    waiter->block = block;
    waiter->owner = owner;
    return wait_queue_serve(waiter);
}

/* Count a take; without waiters, take the mark away. Under the guard. */
static void change_list(struct k_mem_slab *slab, uint64_t takes)
{
    uint64_t list = slab_list_load(slab->counts);
    uint64_t wanted;

    do {
        wanted = list + takes;
        if (slab->state->waiters == NULL)
            wanted &= ~(uint64_t)SLAB_WAITED_FOR;
    } while (!slab_list_swap(slab->counts, &list, wanted));
}

void slab_give_to_waiter(struct k_mem_slab *slab, uint32_t block)
{
    struct tally_slab_state *state = slab->state;
    uint64_t kept = tally_port_guard(&state->guard);
    const uint32_t *word = NULL;
    struct tally_waiter *waiter;

    do {
        waiter = wait_queue_best(state->waiters);
        if (waiter != NULL) {
            *(slab_link *)slab_block(slab, block) = SLAB_LINK_DISGUISE;
            word = serve(slab, waiter, block, SLAB_OWNER_RETURNED);
            change_list(slab, SLAB_ONE_TAKE);
        } else {
            change_list(slab, 0);
        }
    } while (waiter == NULL && !slab_put(slab, block));
    tally_port_unguard(&state->guard, kept);
    if (word != NULL)
        tally_port_wake(word);
}

void slab_serve_waiters(struct k_mem_slab *slab)
{
    struct tally_slab_state *state = slab->state;
    uint64_t kept = tally_port_guard(&state->guard);
    struct tally_waiter *waiter;
    uint32_t block, owner;

    while ((waiter = wait_queue_best(state->waiters)) != NULL &&
           (block = slab_take(slab, &owner)) != SLAB_NONE)
        tally_port_wake(serve(slab, waiter, block, owner));
    if (waiter != NULL)
        take_or_mark(slab, &owner);
    tally_port_unguard(&state->guard, kept);
}
