/* SPDX-License-Identifier: Apache-2.0 */
/* limits_samples.c - what samples charge to scopes; see limits.h */
#include "sampling/limits/limits_room.h"

enum { SEED = 42 };

void limits_start_samples(struct counted_thread *thread, uint64_t period)
{
    struct limits_room *room = limits_room_of(thread);

    if (room->period == 0)
        sampler_seed(&room->sampler, SEED, thread->number);
    room->period = period;
    room->position = countdown_position(thread);
    if (period != 0)
        sampler_start(&room->sampler, 1 / (double)period);
}

bool limits_sample(struct counted_thread *thread,
                   const struct counted_block *counted)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t samples;

    if (!limits_is_sampling(room))
        return true;
    samples = sampler_take(&room->sampler, limits_trials_since(room, thread));
    room->position = countdown_position(thread);
    return samples == 0 || counted->is_set_aside ||
           limits_thread_sample(&room->scopes, samples, room->period);
}

/* Trials so far, which had none that succeeded. */
static void skip(struct limits_room *room, const struct counted_thread *thread)
{
    sampler_skip(&room->sampler, limits_trials_since(room, thread));
    room->position = countdown_position(thread);
}

void limits_skip(struct counted_thread *thread, size_t size)
{
    struct limits_room *room = limits_room_of(thread);

    if (!limits_is_sampling(room))
        return;
    skip(room, thread);
    sampler_skip(&room->sampler, (uint64_t)size / COUNTDOWN_WORD +
                                     (size % COUNTDOWN_WORD != 0) + 1);
}

void limits_share(struct counted_thread *thread, double rate)
{
    struct limits_room *room = limits_room_of(thread);
    uint64_t shared = rate != 0 ? limits_period_of(rate) : 0;

    room->shared = shared <= room->period ? shared : 0;
    room->exact =
        room->shared != 0 && rate != 1 / (double)shared ? 1 / rate : 0;
}

/* Whole words that samples stand for; what is over goes with the next. */
static uint64_t exact_words(struct limits_room *room, uint64_t samples)
{
    double words = (double)samples * room->exact + room->rest;
    uint64_t whole = (uint64_t)words;

    room->rest = words - (double)whole;
    return whole;
}

bool limits_sampled(struct counted_thread *thread, uint64_t samples)
{
    struct limits_room *room = limits_room_of(thread);

    if (room->shared == 0)
        return true;
    return room->exact == 0
               ? limits_thread_sample(&room->scopes, samples, room->shared)
               : limits_thread_sample(&room->scopes, exact_words(room, samples),
                                      1);
}

void limits_charge(struct counted_thread *thread, size_t bytes,
                   uint64_t samples)
{
    struct limits_room *room = limits_room_of(thread);

    room->custom += bytes;
    if (limits_is_sampling(room)) {
        skip(room, thread);
        samples =
            sampler_take(&room->sampler, (uint64_t)bytes / COUNTDOWN_WORD +
                                             (bytes % COUNTDOWN_WORD != 0));
        if (samples != 0)
            limits_thread_sample(&room->scopes, samples, room->period);
    } else if (samples != 0) {
        limits_sampled(thread, samples);
    }
    limits_thread_settle(&room->scopes, limits_allocated_by(thread));
}
