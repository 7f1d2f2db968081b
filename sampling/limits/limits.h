/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.h - limits, as other clients that count and sample see them
 *
 * Limits are a client of countdown.h: limits_thread.h in each thread's room, and a
 * stream of samples of its own there, which rests while a profile samples. Hosts
 * only.
 */
#ifndef TALLY_CORE_LIMITS_H
#define TALLY_CORE_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampling/countdown/countdown.h"
#include "sampling/limits/limits_live.h"
#include "tally/limits.h"

/* Words that a sample stands for in limits_use_sampling(); 0: limits are exact. */
__attribute__((visibility("hidden"))) uint64_t limits_period(void);

/* Below this no profile starts while limits are sampled. */
#define LIMITS_LOWEST_RATE 1e-4

/* The same for any rate but 0. */
__attribute__((visibility("hidden"))) uint64_t limits_period_of(double rate);

/*
 * A profile of this rate samples what the thread allocates; 0: none does. If it
 * samples as often as limits do, they share its samples. After follow().
 */
__attribute__((visibility("hidden"))) void
limits_share(struct counted_thread *thread, double rate);

/*
 * A profile has drawn `samples` of a block, and its callback was not called yet.
 * False: the allocation fails.
 */
__attribute__((visibility("hidden"))) bool
limits_sampled(struct counted_thread *thread, uint64_t samples);

/*
 * Memory that is no block, charged to the scopes of a thread that has entered, with
 * the samples that a profile has drawn of it. It is there already: nothing is refused.
 */
__attribute__((visibility("hidden"))) void
limits_charge(struct counted_thread *thread, size_t bytes, uint64_t samples);

/*
 * In the child of a fork, before its first allocation: it goes on with what limits
 * its parent has.
 */
__attribute__((visibility("hidden"))) void limits_follow_fork(void);

static inline bool limits_must_follow(void)
{
    return !countdown_has(COUNTDOWN_LIMITS) && limits_live.is_used != 0;
}

/*
 * What a block takes or gives back, in usable bytes, while
 * limits_live_is_counted().
 */
__attribute__((visibility("hidden"))) void limits_add_live(int64_t bytes);

#endif /* TALLY_CORE_LIMITS_H */
