/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - interface of limits for other clients of the countdown
 *
 * Limits are a client of countdown.h. Each thread has the state of
 * limits_thread.h and a stream of samples, which pauses while a profile
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

/* Return the words per sample in limits_use_sampling(); 0: limits are exact. */
HIDDEN uint64_t limits_period(void);

/* Lowest rate of a profile while limits are sampled. */
#define LIMITS_LOWEST_RATE 1e-4

/* Return the words per sample of any rate but 0. */
HIDDEN uint64_t limits_period_of(double rate);

/*
 * Announce that a profile samples the thread's allocations at this rate; 0:
 * none does. If it samples as often as limits do, they share its samples. After
 * follow().
 */
HIDDEN void limits_share(struct counted_thread *thread, double rate);

/* Charge `samples` of a block, drawn by a profile whose callback was not called
   yet. Return false to fail the allocation. */
HIDDEN bool limits_sampled(struct counted_thread *thread, uint64_t samples);

/*
 * Charge memory that is not a block, with the samples drawn by a profile, to
 * the scopes of a thread that has entered. The memory already exists, so it is
 * never refused.
 */
HIDDEN void limits_charge(struct counted_thread *thread, size_t bytes,
                          uint64_t samples);

/*
 * Switch limits on for good, at the first scope of a process. In a forked
 * child, call it before the first allocation: the child inherits the parent's
 * limits.
 */
HIDDEN void limits_turn_on(void);

static inline bool limits_must_follow(void)
{
    return !countdown_has(COUNTDOWN_LIMITS) && limits_live.is_used != 0;
}

/* Begin calls of the calling thread that count, but are never refused; -1: end
   them. */
HIDDEN void limits_spare(int change);

/* Add the usable bytes of an allocated block, or subtract those of a freed one,
   while limits_live_is_counted(). */
HIDDEN void limits_add_live(int64_t bytes);

/* Memory of limits in each thread, initially zero. */
struct limits_room {
    struct limits_thread scopes;
    struct sampler sampler;
    uint64_t period;   /* words per sample; 0: not sampling */
    uint64_t position; /* position of the countdown at the last sampling */
    uint64_t custom;   /* bytes of memory that is not a block */
    uint64_t shared;   /* words per sample of the profile that samples for it;
                          or 0 */
    double exact;      /* ... before rounding; or 0 */
    double rest;       /* fraction of a word, left from charges */
};

_Static_assert(sizeof(struct limits_room) <= COUNTDOWN_ROOM,
               "a room is large enough");

static inline struct limits_room *limits_room_of(struct counted_thread *thread)
{
    return countdown_room(thread, COUNTDOWN_LIMITS);
}

/* Return true in a masked section. */
static inline bool limits_are_masked(struct counted_thread *thread)
{
    return limits_thread_is_masked(&limits_room_of(thread)->scopes);
}

/* Add to the thread's own live bytes; return false if it must check its
   limits. */
static inline bool limits_pass_live(struct counted_thread *thread,
                                    int64_t bytes)
{
    struct limits_thread *scopes = &limits_room_of(thread)->scopes;

    limits_live_add(scopes->live, bytes);
    return limits_live_bytes(scopes->live) <= scopes->live_due &&
           !limits_live_is_nearer(scopes->nearness);
}

/* Table of tally/limits.h's functions: the public functions call the recorder's
   if it is loaded; without it nothing is counted and no scope begins. */
struct limits_calls {
    /* `stack`: the program's stack extends at least to this address. */
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
    int (*suspend)(struct limit_scope *scope);
    int (*resume)(struct limit_scope *scope);
    int (*is_blocked)(uintptr_t stack);
};

extern HIDDEN const struct limits_calls limits_local_calls;
extern HIDDEN const struct limits_calls *limits_calls;

/* Return limits_budget() of this copy. */
HIDDEN uint64_t limits_budget_of(const char *name, uint64_t otherwise);

/*
 * Return the budget `name` in a text such as "request=8M,global=2G", or
 * `otherwise`. Set `*wrong` to the number of the first invalid item, from 1, or
 * to 0.
 */
HIDDEN uint64_t limits_budget_in(const char *text, const char *name,
                                 uint64_t otherwise, unsigned *wrong);
