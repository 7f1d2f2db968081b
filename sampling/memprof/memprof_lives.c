/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_lives.c - the life of an entry: allocation, promotion, free
 *
 * This file is long because the life of an entry is one state machine.
 *
 * A thread that runs a callback owns the entry: it is not in the table yet, or
 * claimed, or removed (tracked_blocks.h, T1). So each callback is called at
 * most once, in order.
 *
 * A block of a realloc is announced: its callback runs while the old block
 * still exists, so that it can be refused; its entry is made with the new
 * block. If the realloc fails, the block's dealloc callback runs. A realloc
 * takes the old block's entry before it is known if that block will be freed.
 * If a callback of the entry is running or due then, its thread ends the entry,
 * or finds it in the table again (T2 there).
 */
#include <stddef.h>
#include <string.h>

#include "core/base/own_memory.h"
#include "core/base/word_lock.h"
#include "format/invariant.h"
#include "sampling/memprof/memprof_state.h"
#include "tally/port.h"

static struct own_memory own = OWN_MEMORY_OF("memprof_life");

static void call_dealloc(struct counted_thread *thread,
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

/* Return a list that was made from its end in order. */
static struct tracked *in_order(struct tracked *last)
{
    struct tracked *first = NULL;

    while (last != NULL) {
        struct tracked *next = last->block.next;

        last->block.next = first;
        first = last;
        last = next;
    }
    return first;
}

/* End the objects of a bulk block with it, in the order of their births. */
static void end_bulk(struct counted_thread *thread, struct tracked *bulk)
{
    struct tracked *link = in_order(bulk->metadata);

    tracked_release(bulk);
    while (link != NULL) {
        struct tracked *next = link->block.next;
        struct tracked *object = tracked_take(link->block.key, TRACKED_DEAD);

        if (object != NULL)
            memprof_end_life(thread, object);
        tracked_release(link);
        link = next;
    }
}

void memprof_end_life(struct counted_thread *thread, struct tracked *entry)
{
    if (entry->profile == NULL) {
        end_bulk(thread, entry);
        return;
    }
    if (entry->metadata != NULL)
        call_dealloc(thread, entry->profile, entry->is_major != 0,
                     entry->metadata);
    memprof_release(entry);
}

/* Drop freed blocks: an epoch may be long, and profiles short. */
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

void memprof_add_young(struct memprof_thread *room, struct tracked_name name)
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

static void promote(struct counted_thread *thread, struct tracked *entry)
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
    if (tracked_unclaim(entry, metadata != NULL, true) != TRACKED_STAYS)
        memprof_end_life(thread, entry);
}

/* Young blocks of a thread, taken together. */
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
            promote(thread, taken->young[i].entry);
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

/* The next epoch reuses the memory, unless it already has new memory. */
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

/* The struct may belong to another thread by now. */
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
    /* Other threads begin their epoch at their next call; this one begins it
       now. */
    __atomic_store_n(&room->is_advanced, 0, __ATOMIC_RELAXED);
    room->epoch_end = countdown_position(thread) + room->custom + room->epoch;
}

void memprof_catch_up(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);

    while (!limits_are_masked(thread)) {
        struct tracked *entry;

        if (room->marshal_depth == 0 &&
            (room->waiting != NULL || room->bulk_count != 0))
            memprof_end_scope(thread);
        entry = __atomic_load_n(&room->retired, __ATOMIC_RELAXED);
        if (entry == NULL && room->must_advance == 0)
            return;
        entry = in_order(
            __atomic_exchange_n(&room->retired, NULL, __ATOMIC_ACQ_REL));
        while (entry != NULL) {
            struct tracked *next = entry->block.next;

            memprof_end_life(thread, entry);
            entry = next;
        }
        if (room->must_advance != 0) {
            room->must_advance = 0;
            memprof_advance_all(thread, memprof_domain_of(thread));
        }
    }
}

/* Remove frames of libtally between the program and this code. */
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
                              bool is_born_major))(
    const struct memprof_allocation *, void *)
{
    return is_born_major ? profile->tracker.alloc_major
                         : profile->tracker.alloc_minor;
}

/* Call the alloc callback; return its pointer, NULL, or MEMPROF_REJECT. */
static void *call_alloc(struct counted_thread *thread,
                        const struct memprof *profile, bool is_born_major,
                        const struct memprof_allocation *allocation)
{
    int error = countdown_begin_callback(thread);
    void *metadata;

    INVARIANT(P2, thread->is_busy != 0 && thread->in_callback != 0);

    metadata = alloc_callback(profile, is_born_major)(allocation,
                                                      profile->tracker.context);
    countdown_end_callback(thread, error);
    return metadata != MEMPROF_REJECT && memprof_is_over(profile) ? NULL
                                                                  : metadata;
}

/* Return true if the callback has started another profile: no epoch promotes
   this block. */
static bool is_replaced(struct counted_thread *thread,
                        const struct memprof *profile)
{
    return __atomic_load_n(&memprof_domain_of(thread)->profile,
                           __ATOMIC_ACQUIRE) != profile;
}

/* Insert an entry; without room in the table, its life ends. */
static void insert(struct counted_thread *thread, struct tracked *entry)
{
    struct tracked_name name = { entry, entry->serial };
    struct memprof *profile = entry->profile;
    bool is_minor = entry->is_major == 0;
    struct tracked *before;

    memprof_hold(profile); /* another thread may end the entry at once */
    before = tracked_insert(entry);
    if (before != NULL)
        memprof_end_life(thread, before);
    if (is_minor && before != entry)
        memprof_add_young(memprof_room(thread), name);
    memprof_keep_counting(profile);
    memprof_unhold(profile, 1);
}

static bool is_told(const struct memprof *profile,
                    const struct memprof_allocation *allocation)
{
    return memprof_has_stage(profile, MEMPROF_SAMPLING) &&
           countdown_is_process(profile->process) &&
           alloc_callback(profile, memprof_is_major(profile, allocation)) !=
               NULL;
}

/* Call the alloc callback; return its result. */
static void *announce(struct counted_thread *thread,
                      struct memprof_birth *birth)
{
    memprof_find_call_stack(thread, birth);
    return call_alloc(thread, birth->profile,
                      memprof_is_major(birth->profile, &birth->allocation),
                      &birth->allocation);
}

/* Follow a block by the pointer that its alloc callback returned. */
static enum memprof_outcome follow(struct counted_thread *thread,
                                   struct tracked *entry, void *metadata,
                                   bool is_born_major)
{
    entry->metadata = metadata;
    entry->is_major = is_born_major;
    if (is_replaced(thread, entry->profile)) {
        memprof_end_life(thread, entry);
        return MEMPROF_IGNORED;
    }
    insert(thread, entry);
    return MEMPROF_FOLLOWED;
}

enum memprof_outcome memprof_begin_life(struct counted_thread *thread,
                                        struct memprof_birth *birth)
{
    struct memprof *profile = birth->profile;
    struct tracked *entry;
    void *metadata;

    if (!is_told(profile, &birth->allocation))
        return MEMPROF_IGNORED;
    entry = tracked_make(birth->key);
    if (entry == NULL)
        return MEMPROF_IGNORED;
    memprof_set_profile(entry, profile);
    metadata = announce(thread, birth);
    if (metadata == NULL || metadata == MEMPROF_REJECT) {
        memprof_release(entry);
        return metadata == NULL ? MEMPROF_IGNORED : MEMPROF_REFUSED;
    }
    return follow(thread, entry, metadata,
                  memprof_is_major(profile, &birth->allocation));
}

bool memprof_announce(struct counted_thread *thread,
                      struct memprof_birth *birth,
                      struct memprof_announced *announced)
{
    void *metadata;

    if (!is_told(birth->profile, &birth->allocation))
        return true;
    memprof_hold(birth->profile);
    metadata = announce(thread, birth);
    if (metadata == NULL || metadata == MEMPROF_REJECT) {
        memprof_unhold(birth->profile, 1);
        return metadata == NULL;
    }
    announced->metadata = metadata;
    announced->profile = birth->profile;
    announced->is_major = memprof_is_major(birth->profile, &birth->allocation);
    return true;
}

void memprof_begin_announced(struct counted_thread *thread, uint64_t key,
                             const struct memprof_announced *announced)
{
    struct tracked *entry = key != 0 ? tracked_make(key) : NULL;

    if (entry != NULL) {
        memprof_set_profile(entry, announced->profile);
        follow(thread, entry, announced->metadata, announced->is_major);
    } else {
        call_dealloc(thread, announced->profile, announced->is_major,
                     announced->metadata);
    }
    memprof_unhold(announced->profile, 1);
}

void memprof_begin_late(struct counted_thread *thread, struct tracked *entry,
                        const struct memprof_allocation *allocation)
{
    struct memprof *profile = entry->profile;
    bool is_born_major = memprof_is_major(profile, allocation);
    void *metadata = NULL;
    bool is_kept;

    if (is_told(profile, allocation))
        metadata = call_alloc(thread, profile, is_born_major, allocation);
    if (metadata == MEMPROF_REJECT)
        metadata = NULL;
    entry->metadata = metadata;
    is_kept = metadata != NULL && !is_replaced(thread, profile);
    switch (tracked_unclaim(entry, is_kept, is_born_major)) {
    case TRACKED_IS_PROMOTED:
        promote(thread, entry);
        break;
    case TRACKED_IS_CALLERS:
        memprof_end_life(thread, entry);
        break;
    case TRACKED_STAYS:
        break;
    }
}

void *memprof_take_block(void *block)
{
    return tracked_take((uintptr_t)block, TRACKED_LIFTED);
}

static void put_off(struct memprof_thread *room, struct tracked *entry)
{
    struct tracked *before = __atomic_load_n(&room->retired, __ATOMIC_RELAXED);

    do {
        entry->block.next = before;
    } while (!__atomic_compare_exchange_n(&room->retired, &before, entry, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

static void retire(struct counted_thread *thread, struct tracked *entry)
{
    if (thread == NULL) {
        memprof_end_life(NULL, entry);
    } else if (limits_are_masked(thread) || !countdown_enter(thread)) {
        put_off(memprof_room(thread), entry);
    } else {
        memprof_end_life(thread, entry);
        memprof_catch_up(thread);
        countdown_leave(thread);
        memprof_stop_if_idle();
    }
}

void memprof_retire_here(struct tracked *entry)
{
    struct counted_thread *thread = countdown_thread();

    retire(thread != NULL ? thread : countdown_thread_if_any(), entry);
}

/* C4 of countdown.h, for code that locks and is neither called nor takes a
   record. */
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

void memprof_retire_taken(struct counted_thread *thread, void *taken,
                          bool is_replaced)
{
    (void)is_replaced;
    if (drop(thread, taken))
        retire(thread, taken);
}

void memprof_put_back(struct tracked *entry)
{
    struct tracked_name name = { entry, entry->serial };
    struct memprof *profile = entry->profile;
    bool is_minor =
        !tracked_was_claimed(entry) && profile != NULL && entry->is_major == 0;
    struct counted_thread *thread = countdown_thread_if_any();
    struct tracked *before;

    if (profile != NULL)
        memprof_hold(profile);
    before = tracked_insert(entry);
    /* The epoch may have ended meanwhile. */
    if (is_minor && thread != NULL && before != entry)
        memprof_add_young(memprof_room(thread), name);
    if (before != NULL && (before != entry || drop(thread, entry)))
        retire(thread, before);
    if (profile == NULL)
        return;
    /* This thread, interrupted by a handler, may hold the lock. */
    if (!countdown_is_locked())
        memprof_keep_counting(profile);
    memprof_unhold(profile, 1);
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
