/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_life.c - from birth over promote to dealloc
 *
 * A thread that runs a callback has the entry for itself: it is not in the
 * table yet, or claimed, or taken out (tracked_blocks.h, T1). So each is called
 * at most once, and in the order of a life.
 */
#include <string.h>

#include "core/base/own_memory.h"
#include "core/base/word_lock.h"
#include "sampling/memprof/memprof_state.h"
#include "tally/port.h"

static struct own_memory own = {
    .tag = { .file = __FILE__,
             .function = "memprof_life",
             .modname = "tally",
             .lineno = __LINE__,
             .flags = ALLOC_TAG_OWN },
};

void memprof_call_dealloc(struct counted_thread *thread,
                          const struct memprof *profile, bool is_major,
                          void *metadata)
{
    void (*callback)(void *, void *) = is_major
                                           ? profile->tracker.dealloc_major
                                           : profile->tracker.dealloc_minor;
    int error;

    if (callback == NULL || memprof_is_over(profile))
        return;
    error = countdown_begin_callback(thread);
    callback(metadata, profile->tracker.context);
    countdown_end_callback(thread, error);
}

void memprof_end_life(struct counted_thread *thread, struct tracked *entry)
{
    if (entry->profile == NULL) {
        memprof_marshal_end_bulk(thread, entry);
        return;
    }
    if (entry->metadata != NULL)
        memprof_call_dealloc(thread, entry->profile, entry->is_major != 0,
                             entry->metadata);
    tracked_release(entry);
}

/* Drop those that are gone: an epoch may be long, and profiles short. */
static void keep_young(struct memprof_thread *room)
{
    size_t kept = 0;

    for (size_t i = 0; i < room->young_count; i++) {
        if (tracked_is_minor(room->young[i]))
            room->young[kept++] = room->young[i];
    }
    __atomic_store_n(&room->young_count, kept, __ATOMIC_RELAXED);
}

static void enlarge_young(struct memprof_thread *room)
{
    size_t more = room->young_room == 0 ? 256 : 2 * room->young_room;
    struct tracked_name *larger = own_memory_alloc(&own, more * sizeof *larger);

    if (larger == NULL)
        return;
    if (room->young != NULL) {
        memcpy(larger, room->young, room->young_count * sizeof *larger);
        own_memory_free(&own, room->young, room->young_room * sizeof *larger);
    }
    room->young = larger;
    room->young_room = more;
}

void memprof_is_young(struct memprof_thread *room, struct tracked_name name)
{
    word_lock_take(&room->young_lock);
    if (room->young_count == room->young_room) {
        keep_young(room);
        if (room->young_count >= room->young_room / 4 * 3)
            enlarge_young(room);
    }
    if (room->young_count < room->young_room) {
        room->young[room->young_count] = name;
        __atomic_store_n(&room->young_count, room->young_count + 1,
                         __ATOMIC_RELAXED);
    }
    word_lock_give(&room->young_lock);
}

void memprof_promote(struct counted_thread *thread, struct tracked *entry)
{
    const struct memprof_tracker *tracker = &entry->profile->tracker;
    void *metadata = NULL;

    if (tracker->promote != NULL && !memprof_is_over(entry->profile)) {
        int error = countdown_begin_callback(thread);

        metadata = tracker->promote(entry->metadata, tracker->context);
        countdown_end_callback(thread, error);
    }
    if (metadata == MEMPROF_REJECT)
        metadata = NULL;
    entry->metadata = metadata;
    if (tracked_unclaim(entry, metadata != NULL, true) == TRACKED_STAYS)
        return;
    if (metadata != NULL)
        memprof_end_life(thread, entry);
    else
        tracked_release(entry);
}

/* The young blocks of a room, as they are taken out of it. */
struct generation {
    struct tracked_name *young;
    size_t count, room;
};

static struct generation take_young(struct memprof_thread *room)
{
    struct generation taken;

    word_lock_take(&room->young_lock);
    taken =
        (struct generation){ room->young, room->young_count, room->young_room };
    room->young = NULL;
    room->young_room = 0;
    __atomic_store_n(&room->young_count, 0, __ATOMIC_RELAXED);
    word_lock_give(&room->young_lock);
    return taken;
}

static void promote_all(struct counted_thread *thread,
                        const struct generation *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        if (tracked_claim(taken->young[i]))
            memprof_promote(thread, taken->young[i].entry);
    }
}

static void free_young(const struct generation *taken)
{
    if (taken->young != NULL)
        own_memory_free(&own, taken->young, taken->room * sizeof *taken->young);
}

void memprof_free_young(struct memprof_thread *room)
{
    struct generation taken = take_young(room);

    free_young(&taken);
}

/* The next epoch uses the memory again, unless it has new memory already. */
void memprof_end_epoch(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    struct generation taken = take_young(room);
    bool is_used = false;

    promote_all(thread, &taken);
    word_lock_take(&room->young_lock);
    if (room->young == NULL) {
        room->young = taken.young;
        room->young_room = taken.room;
        is_used = true;
    }
    word_lock_give(&room->young_lock);
    if (!is_used)
        free_young(&taken);
}

/* The struct may be another thread's by now. */
static struct generation take_young_of(struct counted_thread *thread,
                                       const struct memprof_domain *domain)
{
    struct memprof_thread *room = memprof_room(thread);
    struct generation taken = { NULL, 0, 0 };

    memprof_lock();
    if (__atomic_load_n(&thread->is_taken, __ATOMIC_ACQUIRE) != 0 &&
        __atomic_load_n(&room->domain, __ATOMIC_RELAXED) == domain) {
        taken = take_young(room);
        __atomic_store_n(&room->is_advanced, 1, __ATOMIC_RELAXED);
    }
    memprof_unlock();
    return taken;
}

void memprof_advance_all(struct counted_thread *thread,
                         const struct memprof_domain *domain)
{
    struct memprof_thread *room = memprof_room(thread);

    for (struct counted_thread *one = countdown_threads(); one != NULL;
         one = one->next) {
        struct generation taken = take_young_of(one, domain);

        promote_all(thread, &taken);
        free_young(&taken);
    }
    /* Other threads begin their epoch when they are asked; this one, now. */
    __atomic_store_n(&room->is_advanced, 0, __ATOMIC_RELAXED);
    room->epoch_end = countdown_position(thread) + room->custom + room->epoch;
}

void memprof_catch_up(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);

    for (;;) {
        struct tracked *entry =
            __atomic_load_n(&room->retired, __ATOMIC_RELAXED);

        if (entry == NULL && room->must_advance == 0)
            return;
        entry = __atomic_exchange_n(&room->retired, NULL, __ATOMIC_ACQ_REL);
        while (entry != NULL) {
            struct tracked *next = entry->next;

            memprof_end_life(thread, entry);
            entry = next;
        }
        if (room->must_advance != 0) {
            room->must_advance = 0;
            memprof_advance_all(thread, memprof_domain_of(thread));
        }
    }
}
