/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_client.c - what a thread does when something is due: sampling/countdown/countdown.h */
#include <stddef.h>

#include "sampling/countdown/block_filter.h"
#include "sampling/limits/limits.h"
#include "sampling/memprof/memprof_sources.h"
#include "sampling/memprof/memprof_state.h"

static void begin_profile(struct counted_thread *thread,
                          struct memprof *profile)
{
    struct memprof_thread *room = memprof_room(thread);

    if (room->profile == profile && room->number == profile->number)
        return;
    room->profile = profile;
    room->number = profile->number;
    room->sampled = countdown_position(thread);
    room->epoch = profile->epoch;
    room->epoch_end = room->sampled + room->custom + room->epoch;
    sampler_seed(&room->sampler, profile->seed,
                 (uint64_t)profile->number << 32 | thread->number);
    sampler_start(&room->sampler, profile->rate);
}

static void follow(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof *profile;

    memprof_domain_join(room);
    profile = __atomic_load_n(&room->domain->profile, __ATOMIC_ACQUIRE);
    if (profile != NULL && memprof_has_stage(profile, MEMPROF_SAMPLING))
        begin_profile(thread, profile);
    else
        room->profile = NULL;
    limits_share(thread, room->profile != NULL ? profile->rate : 0);
}

static bool has_young(const struct memprof_thread *room)
{
    return __atomic_load_n(&room->young_count, __ATOMIC_RELAXED) != 0;
}

static uint64_t until(uint64_t position, uint64_t now)
{
    return position > now ? position - now : 0;
}

static uint64_t distance(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t now = countdown_position(thread);
    uint64_t nearest = COUNTDOWN_NEVER;

    if (room->marshal_depth != 0)
        return 0;
    if (room->profile != NULL)
        nearest =
            until(room->sampled + room->sampler.next * COUNTDOWN_WORD, now);
    if (has_young(room) && until(room->epoch_end, now + room->custom) < nearest)
        nearest = until(room->epoch_end, now + room->custom);
    return nearest;
}

/* Trials up to `position`, which had none that succeeded. */
static void skip_to(struct memprof_thread *room, uint64_t position)
{
    if (position > room->sampled)
        sampler_skip(&room->sampler,
                     (position - room->sampled) / COUNTDOWN_WORD);
    room->sampled = position;
}

static uint32_t clip(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

uint32_t memprof_try(struct counted_thread *thread, uint64_t position,
                     uint64_t trials)
{
    struct memprof_thread *room = memprof_room(thread);

    if (room->profile == NULL ||
        !memprof_has_stage(room->profile, MEMPROF_SAMPLING))
        return 0;
    skip_to(room, position);
    return clip(sampler_take(&room->sampler, trials));
}

/* Before a block from `begin` to `end`: epochs that ended unnoticed. */
static void roll_epoch(struct memprof_thread *room, uint64_t begin,
                       uint64_t end)
{
    if (__atomic_exchange_n(&room->is_advanced, 0, __ATOMIC_RELAXED) != 0)
        room->epoch_end = begin + room->epoch;
    if (!has_young(room) && room->epoch != 0 && end >= room->epoch_end)
        room->epoch_end +=
            ((end - room->epoch_end) / room->epoch + 1) * room->epoch;
}

/* With what was just allocated, `amount`, which is the first of the next epoch. */
static void pass_epoch(struct counted_thread *thread, uint64_t amount)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t end = countdown_position(thread) + room->custom;

    roll_epoch(room, end - amount, end);
    if (!has_young(room) || end < room->epoch_end)
        return;
    room->epoch_end = end + room->epoch;
    memprof_end_epoch(thread);
}

void memprof_charge_epoch(struct counted_thread *thread, size_t bytes)
{
    uint64_t amount = (uint64_t)memprof_words(bytes) * COUNTDOWN_WORD;

    memprof_room(thread)->custom += amount;
    pass_epoch(thread, amount);
}

static struct memprof_announced *
announced_of(const struct counted_block *counted)
{
    return counted->announcement != NULL
               ? countdown_kept(counted, COUNTDOWN_MEMPROF)
               : NULL;
}

static struct memprof_birth birth_of(const struct memprof_thread *room,
                                     const struct counted_block *counted)
{
    return (struct memprof_birth){
        .key = (uintptr_t)counted->block,
        .profile = room->profile,
        .origin = counted->origin,
        .caller = counted->caller,
        .allocation = { .size = memprof_words(counted->size),
                        .bytes = counted->size },
    };
}

/* The block's samples, and whether limits let it be. */
static bool draw(struct counted_thread *thread,
                 const struct counted_block *counted, uint64_t begin,
                 uint32_t *n_samples)
{
    *n_samples =
        memprof_try(thread, begin, (uint64_t)memprof_words(counted->size) + 1);
    memprof_room(thread)->sampled = countdown_position(thread);
    return *n_samples == 0 || counted->is_set_aside ||
           limits_sampled(thread, *n_samples);
}

/* A block that begins at `begin`. */
static bool sample(struct counted_thread *thread,
                   const struct counted_block *counted, uint64_t begin)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_birth birth = birth_of(room, counted);

    if (!draw(thread, counted, begin, &birth.allocation.n_samples))
        return false;
    if (room->marshal_depth != 0)
        memprof_marshal_made(thread, &birth);
    else if (birth.allocation.n_samples != 0)
        return memprof_bear(thread, &birth) != MEMPROF_REFUSED;
    return true;
}

/* Within a marshal scope the callback runs later, and refuses nothing. */
static bool sample_before(struct counted_thread *thread,
                          const struct counted_block *counted, uint64_t begin)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_announced *announced = announced_of(counted);
    struct memprof_birth birth = birth_of(room, counted);

    if (!draw(thread, counted, begin, &birth.allocation.n_samples))
        return false;
    announced->n_samples = birth.allocation.n_samples;
    return room->marshal_depth != 0 || announced->n_samples == 0 ||
           memprof_announce(thread, &birth, announced);
}

/* Also a block that is only announced. */
static inline __attribute__((always_inline)) bool
count_by(struct counted_thread *thread, const struct counted_block *counted,
         bool (*take)(struct counted_thread *, const struct counted_block *,
                      uint64_t))
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t amount =
        ((uint64_t)memprof_words(counted->size) + 1) * COUNTDOWN_WORD;
    bool may_be;

    pass_epoch(thread, amount);
    may_be = room->profile == NULL ||
             take(thread, counted, countdown_position(thread) - amount);
    memprof_catch_up(thread);
    return may_be;
}

static void settle(struct counted_thread *thread,
                   const struct counted_block *counted)
{
    struct memprof_thread *room = memprof_room(thread);
    const struct memprof_announced *announced = announced_of(counted);
    struct memprof_birth birth = birth_of(room, counted);

    birth.allocation.n_samples = announced->n_samples;
    if (announced->metadata != NULL)
        memprof_bear_announced(thread, birth.key, announced);
    else if (room->marshal_depth != 0 && room->profile != NULL &&
             counted->block != NULL)
        memprof_marshal_made(thread, &birth);
    memprof_catch_up(thread);
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    if (counted->announcement == NULL)
        return count_by(thread, counted, sample);
    settle(thread, counted);
    return true;
}

static bool announce(struct counted_thread *thread,
                     const struct counted_block *counted)
{
    return count_by(thread, counted, sample_before);
}

/* Its words were trials: countdown.h. */
static void fail(struct counted_thread *thread, size_t size)
{
    struct memprof_thread *room = memprof_room(thread);

    skip_to(room, countdown_position(thread));
    sampler_skip(&room->sampler, (uint64_t)memprof_words(size) + 1);
}

static void leave(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);

    memprof_marshal_drop(room);
    memprof_end_epoch(thread);
    memprof_catch_up(thread);
    memprof_free_young(room);
    memprof_lock();
    memprof_domain_leave(memprof_domain_of(thread));
    memprof_turn_unless_so();
    memprof_unlock();
}

/* Blocks that wait stay the parent's. */
static void inherit(struct counted_thread *thread,
                    const struct counted_thread *parent)
{
    const struct memprof_thread *before =
        (const void *)parent->rooms[COUNTDOWN_MEMPROF];

    memprof_room(thread)->marshal_depth = before->marshal_depth;
}

const struct countdown_client memprof_client = {
    .counts_words = true,
    .follow = follow,
    .distance = distance,
    .count = count,
    .announce = announce,
    .fail = fail,
    .leave = leave,
    .inherit = inherit,
    .take = memprof_take_block,
    .retire = memprof_retire_taken,
    .put_back = memprof_put_back_taken,
};
