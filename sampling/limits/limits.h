/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - limits, as other clients that count and sample see them
 *
 * Limits are a client of countdown.h: limits_thread.h in each thread's room,
 * and a stream of samples of its own there, which rests while a profile
 * samples. Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampling/countdown/countdown.h"
#include "sampling/countdown/sampler.h"
#include "sampling/limits/limits_live.h"
#include "sampling/limits/limits_thread.h"
#include "tally/limits.h"

/* Words that a sample stands for in limits_use_sampling(); 0: limits are
   exact. */
HIDDEN uint64_t limits_period(void);

/* Below this no profile starts while limits are sampled. */
#define LIMITS_LOWEST_RATE 1e-4

/* The same for any rate but 0. */
HIDDEN uint64_t limits_period_of(double rate);

/*
 * A profile of this rate samples what the thread allocates; 0: none does. If it
 * samples as often as limits do, they share its samples. After follow().
 */
HIDDEN void limits_share(struct counted_thread *thread, double rate);

/*
 * A profile has drawn `samples` of a block, and its callback was not called
 * yet. False: the allocation fails.
 */
HIDDEN bool limits_sampled(struct counted_thread *thread, uint64_t samples);

/*
 * Memory that is no block, charged to the scopes of a thread that has entered,
 * with the samples that a profile has drawn of it. It is there already: nothing
 * is refused.
 */
HIDDEN void limits_charge(struct counted_thread *thread, size_t bytes,
                          uint64_t samples);

/*
 * From the first scope of a process on, for good. In the child of a fork before
 * its first allocation: it goes on with what limits its parent has.
 */
HIDDEN void limits_turn_on(void);

static inline bool limits_must_follow(void)
{
    return !countdown_has(COUNTDOWN_LIMITS) && limits_live.is_used != 0;
}

/*
 * What a block takes or gives back, in usable bytes, while
 * limits_live_is_counted().
 */
HIDDEN void limits_add_live(int64_t bytes);

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

/* Add to a number of the thread's own; false: it is to look at its limits. */
static inline bool limits_pass_live(struct counted_thread *thread,
                                    int64_t bytes)
{
    struct limits_thread *scopes = &limits_room_of(thread)->scopes;

    limits_live_add(scopes->live, bytes);
    return limits_live_bytes(scopes->live) <= scopes->live_due &&
           !limits_live_is_nearer(scopes->nearness);
}

/*
 * tally/limits.h as a table: the public functions call the recorder's where the
 * recorder is there; without it nothing is counted, and no scope begins.
 */
struct limits_calls {
    /* `stack`: the program's stack reaches down to there, at least. */
    int (*begin)(struct limit_scope *scope, const struct limit_wanted *wanted,
                 uintptr_t stack);
    int (*end)(struct limit_scope *scope, uint64_t *bytes_allocated);
    int (*on_threshold)(struct limit_scope *scope,
                        const struct limit_threshold *threshold);
    int (*interrupted)(uintptr_t stack);
    void (*mask)(int change);
    void (*set_global)(int64_t live_bytes);
    void (*use_sampling)(double sampling_rate);
    uint64_t (*budget)(const char *name, uint64_t otherwise);
};

extern HIDDEN const struct limits_calls limits_local_calls;
extern HIDDEN const struct limits_calls *limits_calls;

/* limits_budget() of this copy. */
HIDDEN uint64_t limits_budget_of(const char *name, uint64_t otherwise);

/*
 * The one of `name` in a text like "request=8M,global=2G", or `otherwise`.
 * `*wrong` is the first of its pieces that is none, from 1; 0: all are.
 */
HIDDEN uint64_t limits_budget_in(const char *text, const char *name,
                                 uint64_t otherwise, unsigned *wrong);
