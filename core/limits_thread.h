/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_thread.h - the scopes of tally/limits.h that one thread is in
 *
 * Here it is decided when a scope is hit and whether malloc must fail. Who counts
 * hands in how much the thread has allocated so far, in bytes as requested, and asks
 * again when limits_thread_distance() has been allocated. An allocation does
 *
 *     if (!limits_thread_admits(thread, allocated, size))
 *         return NULL;                         ENOMEM
 *     block = take(size);
 *     if (block != NULL)
 *         limits_thread_settle(thread, allocated += size);
 *
 * By the thread itself, and its signal handlers. Invariants:
 *
 *   I1  a list of scopes is whole at every instant, and only the thread changes it
 *   I2  is_hit only changes from false to true
 *   I3  all scopes of a thread count by one number, so an inner scope is charged to
 *       the outer ones by itself
 *
 * Hosts only.
 */
#ifndef TALLY_CORE_LIMITS_THREAD_H
#define TALLY_CORE_LIMITS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/limits.h"

struct limit_state;
struct limits_live_number;

/* At first all zeros. */
struct limits_thread {
    struct limit_state *innermost;   /* NULL: it is in none */
    uint32_t masks;                  /* sections of limits_mask_begin() */
    struct limits_live_number *live; /* NULL: it counts none yet */
    int64_t live_due;                /* when its number is more, settle */
    uint32_t nearness; /* or when a limit is nearer: limits_live.h */
    const int *polled; /* or when this word is not 0; or NULL */
};

enum limit_kind { LIMIT_GLOBAL, LIMIT_ALLOCATION, LIMIT_TOKEN };

/* What begins. */
struct limit_wanted {
    enum limit_kind kind;
    enum limit_action action;
    uint64_t bytes;                  /* of LIMIT_ALLOCATION */
    const struct limit_token *token; /* of LIMIT_TOKEN */
    bool is_sampled;
};

void limits_thread_begin(struct limits_thread *thread,
                         struct limit_scope *scope,
                         const struct limit_wanted *wanted, uint64_t allocated);

/* 1, 0, or below zero: it is not open in this thread. */
int limits_thread_end(struct limits_thread *thread, struct limit_scope *scope,
                      uint64_t allocated, uint64_t *bytes_allocated);

static inline bool limits_thread_is_in_any(const struct limits_thread *thread)
{
    return thread->innermost != NULL;
}

/* Whether `size` bytes more may be allocated. If not, a scope was hit. */
bool limits_thread_admits(struct limits_thread *thread, uint64_t allocated,
                          uint64_t size);

/* After an allocation, with what it has added. */
void limits_thread_settle(struct limits_thread *thread, uint64_t allocated);

/*
 * A block about to be handed out has `samples` of one in `period` words. Whether it
 * may be.
 */
bool limits_thread_sample(struct limits_thread *thread, uint64_t samples,
                          uint64_t period);

/*
 * Who counts asks again as soon as so many bytes have been allocated, when what the
 * thread has live is more than `live_due`, and when a limit is nearer than
 * `nearness`, and when what `polled` leads to is set. 0: each time. UINT64_MAX: there is nothing to ask for.
 */
uint64_t limits_thread_distance(struct limits_thread *thread,
                                uint64_t allocated);

/*
 * In the child of a fork: `thread` goes on with the scopes of the thread that has
 * forked, which has allocated as much.
 */
void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent);

/* Whether it is in a scope that is sampled. */
bool limits_thread_is_sampled(const struct limits_thread *thread);

/* Whether any scope is hit, as the program asks. */
bool limits_thread_is_interrupted(struct limits_thread *thread);

#endif /* TALLY_CORE_LIMITS_THREAD_H */
