/* SPDX-License-Identifier: Apache-2.0 */
/* limits_room.h - what limits keep for a thread, and its samples */
#ifndef TALLY_CORE_LIMITS_ROOM_H
#define TALLY_CORE_LIMITS_ROOM_H

#include "sampling/countdown/sampler.h"
#include "sampling/limits/limits.h"
#include "sampling/limits/limits_thread.h"

/* What a thread has in its room. At first all zeros. */
struct limits_room {
    struct limits_thread scopes;
    struct sampler sampler;
    uint64_t period;   /* of the sampler; 0: it does not sample */
    uint64_t position; /* of the countdown, when it last did */
    uint64_t custom;   /* bytes of memory that is no block */
    uint64_t shared;   /* the period of the profile that samples for it; or 0 */
    double exact;      /* the same where the profile was not rounded; or 0 */
    double rest;       /* less than a word, of what it was charged with */
};

_Static_assert(sizeof(struct limits_room) <= COUNTDOWN_ROOM,
               "a room is large enough");

static inline struct limits_room *limits_room_of(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_LIMITS);
}

/* Bytes, as scopes count them. */
static inline uint64_t limits_allocated_by(struct counted_thread *thread)
{
    return thread->allocated + limits_room_of(thread)->custom;
}

static inline bool limits_is_sampling(const struct limits_room *room)
{
    return room->period != 0 && room->shared == 0;
}

/* Words allocated since the sampler was last asked, their headers included. */
static inline uint64_t limits_trials_since(const struct limits_room *room,
                                           const struct counted_thread *thread)
{
    return (countdown_position(thread) - room->position) / COUNTDOWN_WORD;
}

/* Add to a number of the thread's own; false: it is to look at its limits. */
static inline bool limits_pass_live(struct counted_thread *thread,
                                    int64_t bytes)
{
    struct limits_thread *scopes = &limits_room_of(thread)->scopes;

    limits_live_add(scopes->live, bytes);
    return limits_live_bytes(scopes->live) <= scopes->live_due &&
           !limits_live_is_nearer(scopes->nearness);
}

/* One in `period` words from now on; 0: none. */
void limits_start_samples(struct counted_thread *thread, uint64_t period);

/* Whether the samples of a block let it be. */
bool limits_sample(struct counted_thread *thread,
                   const struct counted_block *counted);

/* A request has failed. Its words were trials: countdown.h. */
void limits_skip(struct counted_thread *thread, size_t size);

#endif /* TALLY_CORE_LIMITS_ROOM_H */
