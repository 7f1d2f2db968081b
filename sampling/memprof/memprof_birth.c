/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_birth.c - a sampled block, and its alloc callback
 *
 * A block of a realloc is announced: its callback runs while the old block is
 * still there, so that it can be refused, and its entry is made when the new
 * block is. If the realloc fails, the block's dealloc callback runs.
 */
#include "sampling/memprof/memprof_state.h"

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
                              bool is_born_major))(
    const struct memprof_allocation *, void *)
{
    return is_born_major ? profile->tracker.alloc_major
                         : profile->tracker.alloc_minor;
}

/* What is to be followed, or NULL, or MEMPROF_REJECT. */
static void *call_alloc(struct counted_thread *thread,
                        const struct memprof *profile, bool is_born_major,
                        const struct memprof_allocation *allocation)
{
    int error = countdown_begin_callback(thread);
    void *metadata;

    metadata = alloc_callback(profile, is_born_major)(allocation,
                                                      profile->tracker.context);
    countdown_end_callback(thread, error);
    return metadata != MEMPROF_REJECT && memprof_is_over(profile) ? NULL
                                                                  : metadata;
}

/* The callback has started another profile: no epoch promotes this block. */
static bool is_replaced(struct counted_thread *thread,
                        const struct memprof *profile)
{
    return __atomic_load_n(&memprof_domain_of(thread)->profile,
                           __ATOMIC_ACQUIRE) != profile;
}

/* Put it into the table. Without room there, its life ends. */
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

static bool is_told(const struct memprof *profile,
                    const struct memprof_allocation *allocation)
{
    return memprof_has_stage(profile, MEMPROF_SAMPLING) &&
           alloc_callback(profile, memprof_is_major(profile, allocation)) !=
               NULL;
}

/* What its alloc callback returns for a birth. */
static void *announce(struct counted_thread *thread,
                      struct memprof_birth *birth)
{
    memprof_find_call_stack(thread, birth);
    return call_alloc(thread, birth->profile,
                      memprof_is_major(birth->profile, &birth->allocation),
                      &birth->allocation);
}

/* An alloc callback has returned something to follow the block by. */
static enum memprof_born follow(struct counted_thread *thread,
                                struct tracked *entry, struct memprof *profile,
                                void *metadata, bool is_born_major)
{
    entry->metadata = metadata;
    entry->profile = profile;
    entry->is_major = is_born_major;
    if (is_replaced(thread, profile)) {
        memprof_end_life(thread, entry);
        return MEMPROF_IGNORED;
    }
    insert(thread, entry);
    return MEMPROF_FOLLOWED;
}

enum memprof_born memprof_bear(struct counted_thread *thread,
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
    metadata = announce(thread, birth);
    if (metadata == NULL || metadata == MEMPROF_REJECT) {
        tracked_release(entry);
        return metadata == NULL ? MEMPROF_IGNORED : MEMPROF_REFUSED;
    }
    return follow(thread, entry, profile, metadata,
                  memprof_is_major(profile, &birth->allocation));
}

bool memprof_announce(struct counted_thread *thread,
                      struct memprof_birth *birth,
                      struct memprof_announced *announced)
{
    void *metadata;

    if (!is_told(birth->profile, &birth->allocation))
        return true;
    metadata = announce(thread, birth);
    if (metadata == MEMPROF_REJECT)
        return false;
    announced->metadata = metadata;
    announced->profile = birth->profile;
    announced->is_major = memprof_is_major(birth->profile, &birth->allocation);
    return true;
}

void memprof_bear_announced(struct counted_thread *thread, uint64_t key,
                            const struct memprof_announced *announced)
{
    struct tracked *entry = key != 0 ? tracked_make(key) : NULL;

    if (entry != NULL)
        follow(thread, entry, announced->profile, announced->metadata,
               announced->is_major);
    else
        memprof_call_dealloc(thread, announced->profile, announced->is_major,
                             announced->metadata);
}

void memprof_bear_late(struct counted_thread *thread, struct tracked *entry,
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
        memprof_promote(thread, entry);
        break;
    case TRACKED_IS_CALLERS:
        if (metadata != NULL)
            memprof_end_life(thread, entry);
        else
            tracked_release(entry);
        break;
    case TRACKED_STAYS:
        break;
    }
}
