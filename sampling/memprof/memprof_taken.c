/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_taken.c - what is taken out of the table: it ends, or goes on
 *
 * A realloc takes its block's entry before it knows whether the block will go.
 * If a callback of the entry runs just then, or alloc is still to run, the
 * thread that runs it ends the entry, or finds it in the table again
 * (tracked_blocks.h, T2).
 */
#include <stddef.h>

#include "sampling/memprof/memprof_state.h"

void *memprof_take_block(void *block)
{
    return tracked_lift((uintptr_t)block);
}

static void put_off(struct memprof_thread *room, struct tracked *entry)
{
    entry->next = __atomic_load_n(&room->retired, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&room->retired, &entry->next, entry,
                                        false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED))
        ;
}

void memprof_retire(struct counted_thread *thread, struct tracked *entry)
{
    if (thread == NULL) {
        memprof_end_life(NULL, entry);
    } else if (!countdown_enter(thread)) {
        put_off(memprof_room(thread), entry);
    } else {
        memprof_end_life(thread, entry);
        memprof_catch_up(thread);
        countdown_leave(thread);
        memprof_turn_if_over();
    }
}

void memprof_retire_here(struct tracked *entry)
{
    struct counted_thread *thread = countdown_thread();

    memprof_retire(thread != NULL ? thread : countdown_thread_if_any(), entry);
}

/* C4 of countdown.h, for what locks and is neither asked nor takes. */
static bool drop(struct counted_thread *thread, struct tracked *lifted)
{
    bool has_begun, is_ours;

    if (!tracked_was_claimed(lifted))
        return true;
    has_begun = thread != NULL && countdown_begin_take(thread);
    is_ours = tracked_drop(lifted);
    if (has_begun)
        countdown_end_take(thread);
    return is_ours;
}

void memprof_retire_taken(struct counted_thread *thread, void *taken)
{
    if (drop(thread, taken))
        memprof_retire(thread, taken);
}

void memprof_put_back(struct tracked *entry)
{
    struct tracked_name name = { entry, entry->serial };
    const struct memprof *profile = entry->profile;
    bool is_minor =
        !tracked_was_claimed(entry) && profile != NULL && entry->is_major == 0;
    struct counted_thread *thread = countdown_thread_if_any();
    struct tracked *before = tracked_insert(entry);

    /* The epoch may have ended meanwhile. */
    if (is_minor && thread != NULL && before != entry)
        memprof_is_young(memprof_room(thread), name);
    if (before != NULL && (before != entry || drop(thread, entry)))
        memprof_retire(thread, before);
    /* The lock's holder may be this thread, interrupted by a handler. */
    if (profile != NULL && !countdown_is_locked())
        memprof_turn_for(profile);
}

void memprof_put_back_taken(void *taken)
{
    struct counted_thread *thread = countdown_thread_if_any();
    bool has_begun = thread != NULL && countdown_begin_take(thread);
    bool has_entered = thread != NULL && countdown_enter(thread);

    memprof_put_back(taken);
    if (has_begun)
        countdown_end_take(thread);
    if (has_entered) {
        memprof_catch_up(thread);
        countdown_leave(thread);
    }
}
