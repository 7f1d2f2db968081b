/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_thread.h - the scopes of tally/limits.h that one thread is in
 *
 * These functions decide when a scope is hit and whether malloc must fail. The
 * caller counts: it sets what the thread has allocated so far, in bytes as
 * requested, and asks again when limits_thread_distance() has been allocated.
 * An allocation does
 *
 *     if (!limits_thread_admits(thread, size, 0))
 *         return NULL;                         ENOMEM
 *     block = take(size);
 *     if (block != NULL) {
 *         thread->allocated += size;
 *         limits_thread_update(thread);
 *     }
 *
 * By the thread itself, and its signal handlers. All scopes of a thread count
 * by one number, so an inner scope is charged to the outer ones by itself. What
 * is kept of a scope lies in Tally's own memory: the program's struct is only
 * its name, and may lie in a frame that is gone. Invariants:
 *
 *   I1  a list of scopes is whole at every instant, and only the thread changes
 *       it
 *   I2  is_hit only changes from false to true
 *
 * Hosts only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/limits.h"

struct limit_page;
struct limit_state;
struct limits_live_number;

/* What is called when a scope has used `bytes`; callback NULL: nothing. */
struct limit_threshold {
    uint64_t bytes;
    void (*callback)(void *context, uint64_t bytes);
    void *context;
};

/* At first all zeros. */
struct limits_thread {
    uint64_t allocated;              /* so far; the caller counts it */
    struct limit_state *innermost;   /* NULL: it is in none */
    struct limit_state *spare;       /* for scopes to come */
    struct limit_page *pages;        /* where all of them lie */
    uint32_t masks;                  /* sections of limits_mask_begin() */
    uint32_t round;                  /* of calls of thresholds */
    struct limits_live_number *live; /* NULL: it counts none yet */
    int64_t live_due;                /* when its number is more, look */
    uint32_t nearness; /* or when a limit is nearer: limits_live.h */
    const int *polled; /* or when this word is not 0; or NULL */
};

enum limit_kind {
    LIMIT_GLOBAL,
    LIMIT_ALLOCATION,
    LIMIT_TOKEN,
    LIMIT_LIVE,
    LIMIT_SHARED,
};

/* What begins. */
struct limit_wanted {
    enum limit_kind kind;
    enum limit_action action;
    uint64_t bytes; /* of all but LIMIT_GLOBAL and LIMIT_TOKEN */
    const struct limit_token *token; /* of LIMIT_TOKEN */
    const struct limit_scope *from;  /* LIMIT_SHARED to join; NULL: a new one */
    uintptr_t caller;                /* the call that begins it */
    uintptr_t call; /* ... in the function that it lies in, or the same */
};

/*
 * 0, or an error of limits_begin_allocation(): nothing has begun then.
 * `is_sampled`: where it can be, by its kind.
 */
int limits_thread_begin(struct limits_thread *thread, struct limit_scope *scope,
                        const struct limit_wanted *wanted, bool is_sampled);

/*
 * The thread's stack reaches down to `stack`: scopes below it are in frames
 * that have been left, and end. 0: it is not known. `looks_into`: so are those
 * whose marks are gone. True: any was dropped.
 */
bool limits_thread_drop(struct limits_thread *thread, uintptr_t stack,
                        bool looks_into);

/* The thread ends. */
void limits_thread_leave(struct limits_thread *thread);

/* As limits_on_threshold(). */
int limits_thread_set_threshold(struct limits_thread *thread,
                                const struct limit_scope *scope,
                                const struct limit_threshold *threshold);

/*
 * Take a threshold that was reached and not called yet, to call it; false:
 * none. Those set in this round wait for the next.
 */
bool limits_thread_take_threshold(struct limits_thread *thread,
                                  struct limit_threshold *reached);

/*
 * Words that an open scope has on the program's stack until another frame takes
 * its place. The first two may name a budget: struct limit_share.
 */
static inline void limits_scope_mark(struct limit_scope *scope)
{
    for (unsigned i = 2; i < 8; i++)
        scope->private[i] = (uintptr_t)scope * (2 * i + 1);
}

static inline bool limits_scope_is_marked(const struct limit_scope *scope)
{
    for (unsigned i = 2; i < 8; i++) {
        if (scope->private[i] != (uintptr_t)scope * (2 * i + 1))
            return false;
    }
    return true;
}

/* 1, 0, or below zero: it is not open in this thread. */
int limits_thread_end(struct limits_thread *thread, struct limit_scope *scope,
                      uint64_t *bytes_allocated);

/*
 * Whether `size` bytes may be allocated, in place of a block that takes
 * `before`; with both 0, whether the present state is within limits. If not, a
 * scope was hit.
 */
bool limits_thread_admits(struct limits_thread *thread, uint64_t size,
                          uint64_t before);

/* After an allocation, with what it has added. */
void limits_thread_update(struct limits_thread *thread);

/*
 * A block about to be handed out has `samples` of one in `period` words.
 * Whether it may be.
 */
bool limits_thread_sample(struct limits_thread *thread, uint64_t samples,
                          uint64_t period);

/*
 * Bytes to allocate before the caller asks again. It also asks when the
 * thread's live bytes exceed `live_due`, when a limit is nearer than
 * `nearness`, and when the word at `polled` is not 0. 0: ask each time.
 * UINT64_MAX: nothing to ask for.
 */
uint64_t limits_thread_distance(struct limits_thread *thread);

/*
 * In the child of a fork: `thread` goes on with the scopes of the thread that
 * has forked, which has allocated as much.
 */
void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent);

/* Whether it is in a scope that is sampled. */
bool limits_thread_is_sampled(const struct limits_thread *thread);

/* Whether any scope is hit, as the program asks with its stack down to
   `stack`. */
bool limits_thread_is_interrupted(struct limits_thread *thread,
                                  uintptr_t stack);

/*
 * One budget that scopes of several threads draw from. Each draws a part, uses
 * that up by itself, and gives back what is left of it. What is drawn never
 * exceeds the budget, so all scopes together use no more; a part is at most
 * 1/256 of it, so they are stopped early by less than that for each. Any
 * thread; no signal handlers.
 */
struct limit_share {
    void *next;            /* first: of those that no scope has */
    uint64_t budget, left; /* bytes; what is not left was drawn */
    uint64_t used;         /* by scopes that have ended */
    uint32_t scopes;
    uint32_t is_hit;
};

/* A new one for `scope`, which is its name for others; or the one that `from`
   has. */
struct limit_share *limits_share_open(struct limit_scope *scope,
                                      const struct limit_scope *from,
                                      uint64_t bytes);

/* `drawn` bytes of it were not used, `used` were. The last one closes it. */
void limits_share_close(struct limit_share *share, uint64_t drawn,
                        uint64_t used);

/* At least `bytes`, or 0: so much is not left, and all its scopes are hit. */
uint64_t limits_share_draw(struct limit_share *share, uint64_t bytes);

static inline bool limits_share_is_hit(const struct limit_share *share)
{
    return __atomic_load_n(&share->is_hit, __ATOMIC_ACQUIRE) != 0;
}

static inline uint64_t limits_share_drawn(const struct limit_share *share)
{
    return share->budget - __atomic_load_n(&share->left, __ATOMIC_RELAXED);
}

static inline uint64_t limits_share_used(const struct limit_share *share)
{
    return __atomic_load_n(&share->used, __ATOMIC_RELAXED);
}
