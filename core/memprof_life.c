/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_life.c - from alloc over promote to dealloc
 *
 * Whoever runs a callback has the entry for itself: it is not in the table yet, or
 * claimed, or taken out (tracked_blocks.h, T1). So each is called at most once, and
 * in the order of a life.
 */
#if __STDC_HOSTED__
#include <string.h>

#include "core/memprof_state.h"
#include "core/own_memory.h"
#include "core/word_lock.h"

static struct own_memory own = {
    .tag = { .file = __FILE__,
             .function = "memprof_life",
             .modname = "tally",
             .lineno = __LINE__,
             .flags = ALLOC_TAG_OWN },
};

/* A thread that ends, and frees still, has no room any more. */
static void set_in_callback(struct counted_thread *thread, uint32_t is_in)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread != NULL)
        __atomic_store_n(&thread->in_callback, is_in, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static bool is_over(const struct memprof *profile)
{
    return memprof_has_stage(profile, MEMPROF_DISCARDED);
}

void memprof_end_life(struct counted_thread *thread, struct tracked *entry)
{
    struct memprof *profile = entry->profile;
    void (*callback)(void *, void *);

    if (profile == NULL) {
        memprof_marshal_end_bulk(thread, entry);
        return;
    }
    callback = entry->is_major ? profile->tracker.dealloc_major
                               : profile->tracker.dealloc_minor;
    if (callback != NULL && !is_over(profile)) {
        set_in_callback(thread, 1);
        callback(entry->metadata, profile->tracker.context);
        set_in_callback(thread, 0);
    }
    tracked_release(entry);
}

/* Between the program and us there may be functions of libtally's. */
static void cut_to_caller(struct memprof_allocation *allocation,
                          uintptr_t caller)
{
    size_t first = 0;

    if (caller == 0)
        return;
    while (first < allocation->callstack_size &&
           allocation->callstack[first] != caller)
        first++;
    if (first == allocation->callstack_size)
        return;
    allocation->callstack += first;
    allocation->callstack_size -= first;
}

void memprof_find_call_stack(struct counted_thread *thread,
                             struct memprof_birth *birth)
{
    struct memprof_allocation *allocation = &birth->allocation;
    size_t most = (size_t)birth->profile->callstack_size;

    if (most == 0 || countdown_carrier.call_stack == NULL)
        return;
    allocation->callstack_size = countdown_carrier.call_stack(
        thread, birth->origin, &allocation->callstack);
    cut_to_caller(allocation, birth->caller);
    if (allocation->callstack_size > most)
        allocation->callstack_size = most;
}

static void *(*alloc_callback(const struct memprof *profile,
                              bool is_major))(const struct memprof_allocation *,
                                              void *)
{
    return is_major ? profile->tracker.alloc_major
                    : profile->tracker.alloc_minor;
}

/* What is to be followed, or NULL, or MEMPROF_REJECT. */
static void *call_alloc(struct counted_thread *thread,
                        const struct memprof *profile, bool is_major,
                        const struct memprof_allocation *allocation)
{
    void *metadata;

    set_in_callback(thread, 1);
    metadata =
        alloc_callback(profile, is_major)(allocation, profile->tracker.context);
    set_in_callback(thread, 0);
    return metadata != MEMPROF_REJECT && is_over(profile) ? NULL : metadata;
}

/* Another profile was started in the callback: nobody promotes this block. */
static bool is_replaced(struct counted_thread *thread,
                        const struct memprof *profile)
{
    return __atomic_load_n(&memprof_domain_of(thread)->profile,
                           __ATOMIC_ACQUIRE) != profile;
}

/* From now on it is found. What cannot be is over. */
static void insert(struct counted_thread *thread, struct tracked *entry)
{
    struct tracked_name name = { entry, entry->serial };
    const struct memprof *profile = entry->profile;
    bool is_minor = entry->is_major == 0;
    struct tracked *before = tracked_insert(entry);

    if (before != NULL)
        memprof_end_life(thread, before);
    if (is_minor && before != entry)
        memprof_is_young(memprof_room(thread), name);
    memprof_turn_for(profile);
}

enum memprof_born memprof_bear(struct counted_thread *thread,
                               struct memprof_birth *birth)
{
    struct memprof *profile = birth->profile;
    bool is_major = birth->allocation.size > profile->minor_words;
    struct tracked *entry;
    void *metadata;

    if (!memprof_has_stage(profile, MEMPROF_SAMPLING) ||
        alloc_callback(profile, is_major) == NULL)
        return MEMPROF_IGNORED;
    entry = tracked_make(birth->key);
    if (entry == NULL)
        return MEMPROF_IGNORED;
    memprof_find_call_stack(thread, birth);
    metadata = call_alloc(thread, profile, is_major, &birth->allocation);
    if (metadata == NULL || metadata == MEMPROF_REJECT) {
        tracked_release(entry);
        return metadata == NULL ? MEMPROF_IGNORED : MEMPROF_REFUSED;
    }
    entry->metadata = metadata;
    entry->profile = profile;
    entry->is_major = is_major;
    if (is_replaced(thread, profile)) {
        memprof_end_life(thread, entry);
        return MEMPROF_IGNORED;
    }
    insert(thread, entry);
    return MEMPROF_FOLLOWED;
}

void memprof_bear_late(struct counted_thread *thread, struct tracked *entry,
                       const struct memprof_allocation *allocation)
{
    struct memprof *profile = entry->profile;
    struct tracked_name name = { entry, entry->serial };
    bool is_major = allocation->size > profile->minor_words;
    void *metadata = NULL;
    bool is_kept;

    if (memprof_has_stage(profile, MEMPROF_SAMPLING) &&
        alloc_callback(profile, is_major) != NULL)
        metadata = call_alloc(thread, profile, is_major, allocation);
    if (metadata == MEMPROF_REJECT)
        metadata = NULL;
    entry->metadata = metadata;
    is_kept = metadata != NULL && !is_replaced(thread, profile);
    if (!tracked_unclaim(entry, is_kept, is_major)) {
        if (!is_major)
            memprof_is_young(memprof_room(thread), name);
    } else if (metadata != NULL) {
        memprof_end_life(thread, entry);
    } else {
        tracked_release(entry);
    }
}

/* Without those that are gone: an epoch may be long, and profiles short. */
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

static void promote(struct counted_thread *thread, struct tracked_name name)
{
    struct tracked *entry = name.entry;
    const struct memprof_tracker *tracker;
    void *metadata = NULL;

    if (!tracked_claim(name))
        return;
    tracker = &entry->profile->tracker;
    if (tracker->promote != NULL && !is_over(entry->profile)) {
        set_in_callback(thread, 1);
        metadata = tracker->promote(entry->metadata, tracker->context);
        set_in_callback(thread, 0);
    }
    if (metadata == MEMPROF_REJECT)
        metadata = NULL;
    entry->metadata = metadata;
    if (!tracked_unclaim(entry, metadata != NULL, true))
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
    for (size_t i = 0; i < taken->count; i++)
        promote(thread, taken->young[i]);
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

/* The memory is the next epoch's, unless that has begun to take some. */
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

/* Of a thread that may be another one's by now. */
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
    for (struct counted_thread *one = countdown_threads(); one != NULL;
         one = one->next) {
        struct generation taken = take_young_of(one, domain);

        promote_all(thread, &taken);
        free_young(&taken);
    }
}

void memprof_catch_up(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);

    for (;;) {
        struct tracked *entry =
            __atomic_exchange_n(&room->retired, NULL, __ATOMIC_ACQ_REL);

        if (entry == NULL && room->must_advance == 0)
            return;
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
#else
typedef int memprof_life_is_for_hosts;
#endif
