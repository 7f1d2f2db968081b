/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_thread.h - scopes of tally/limits.h in one thread
 *
 * These functions decide when a scope is hit and if malloc must fail. The
 * caller counts the thread's allocated bytes, as requested, and calls again
 * after limits_thread_distance() bytes. An allocation does
 *
 *     if (!limits_thread_admits(thread, size, 0))
 *         return NULL;                         ENOMEM
 *     block = take(size);
 *     if (block != NULL) {
 *         thread->allocated += size;
 *         limits_thread_update(thread);
 *     }
 *
 * Only the thread itself and its signal handlers call them. All scopes of a
 * thread use one counter, so that an inner scope is charged to the outer ones
 * automatically. The state of a scope lies in Tally's own memory: the program's
 * struct only identifies it, and may lie in a frame that was left. Invariants:
 *
 *   I1  a list of scopes is intact at any time, and only the thread changes it
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

/* Callback at `bytes` used; NULL: none. */
struct limit_threshold {
    uint64_t bytes;
    void (*callback)(void *context, uint64_t bytes);
    void *context;
};

/* Initially zero. */
struct limits_thread {
    uint64_t allocated;              /* bytes so far; counted by the caller */
    struct limit_state *innermost;   /* NULL: none */
    struct limit_state *spare;       /* for further scopes */
    struct limit_page *pages;        /* memory of all scopes */
    uint32_t masks;                  /* depth of limits_mask_begin() */
    uint32_t masked;                 /* open scopes of LIMIT_MASK */
    uint32_t spared;                 /* depth of calls that are never refused */
    uint32_t round;                  /* round of threshold calls */
    struct limits_live_number *live; /* NULL: it does not count yet */
    int64_t live_due;  /* check when its live bytes exceed this, ... */
    uint32_t nearness; /* ... or when a limit is nearer: limits_live.h */
    const int *polled; /* ... or when this word is not 0; or NULL */
};

enum limit_kind {
    LIMIT_GLOBAL,
    LIMIT_ALLOCATION,
    LIMIT_TOKEN,
    LIMIT_LIVE,
    LIMIT_SHARED,
    LIMIT_MASK, /* no limit: a masked section */
};

static inline bool limits_thread_is_masked(const struct limits_thread *thread)
{
    return thread->masks != 0 || thread->masked != 0;
}

/* Arguments of a begin. */
struct limit_wanted {
    enum limit_kind kind;
    enum limit_action action;
    uint64_t bytes; /* for all kinds but GLOBAL, TOKEN and MASK */
    const struct limit_token *token; /* for LIMIT_TOKEN */
    const struct limit_scope *from;  /* LIMIT_SHARED: scope to join; NULL: a new
                                        budget */
    uintptr_t caller;                /* call that begins the scope */
    uintptr_t call; /* ... in the function that contains the scope, or the
                       same */
};

/* Begin a scope. Return 0, or an error of limits_begin_allocation() if nothing
   began. `is_sampled`: sample it, if its kind allows. */
int limits_thread_begin(struct limits_thread *thread, struct limit_scope *scope,
                        const struct limit_wanted *wanted, bool is_sampled);

/*
 * End scopes below `stack`, the current end of the thread's stack: their frames
 * were left. 0: unknown. With `looks_into`, also end scopes whose marks were
 * overwritten. Return true if any ended.
 */
bool limits_thread_drop(struct limits_thread *thread, uintptr_t stack,
                        bool looks_into);

/* Release the state of a thread that ends. */
void limits_thread_leave(struct limits_thread *thread);

/* Implement limits_on_threshold(). */
int limits_thread_set_threshold(struct limits_thread *thread,
                                const struct limit_scope *scope,
                                const struct limit_threshold *threshold);

/* Take a threshold that was reached and not called yet, to call it; return
   false if there is none. Thresholds set in this round wait for the next. */
bool limits_thread_take_threshold(struct limits_thread *thread,
                                  struct limit_threshold *reached);

/* Words that an open scope keeps on the program's stack until another frame
   overwrites it. The first two may name a budget: struct limit_share. */
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

/* End a scope. Return 1 or 0, or a negative error if it is not open in this
   thread. */
int limits_thread_end(struct limits_thread *thread, struct limit_scope *scope,
                      uint64_t *bytes_allocated);

/*
 * Return true if `size` bytes may be allocated, in place of a block of
 * `before`; with both 0, if the present state is within limits. If not, a scope
 * was hit.
 */
bool limits_thread_admits(struct limits_thread *thread, uint64_t size,
                          uint64_t before);

/* Update scopes after an allocation. */
void limits_thread_update(struct limits_thread *thread);

/* Charge `samples`, one in `period` words, of a block; return true if it may be
   allocated. */
bool limits_thread_sample(struct limits_thread *thread, uint64_t samples,
                          uint64_t period);

/*
 * Return the bytes to allocate before the next call; 0: call each time;
 * UINT64_MAX: never. The caller also calls when the thread's live bytes exceed
 * `live_due`, when a limit is nearer than `nearness`, and when the word at
 * `polled` is not 0.
 */
uint64_t limits_thread_distance(struct limits_thread *thread);

/* Copy the scopes of the thread that forked to `thread` in the child. */
void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent);

/* Return true if the thread is in a sampled scope. */
bool limits_thread_is_sampled(const struct limits_thread *thread);

/* Return true if any scope is hit; the program's stack extends down to
   `stack`. */
bool limits_thread_is_interrupted(struct limits_thread *thread,
                                  uintptr_t stack);

/*
 * Budget that scopes of several threads draw from. Each draws a part, uses it
 * up, and returns the rest. Draws never exceed the budget, so all scopes
 * together use no more. A part is at most 1/256 of the budget, so each scope is
 * stopped early by less than that. Any thread; not from signal handlers.
 */
struct limit_share {
    void *next;            /* first: in the list of unused budgets */
    uint64_t budget, left; /* bytes; budget - left was drawn */
    uint64_t used;         /* by scopes that have ended */
    uint32_t scopes;
    uint32_t is_hit;
};

/* Open a budget for `scope`, which names it for others; or the one of
   `from`. */
struct limit_share *limits_share_open(struct limit_scope *scope,
                                      const struct limit_scope *from,
                                      uint64_t bytes);

/* Return `drawn` unused bytes and count `used` ones. The last scope closes the
   budget. */
void limits_share_close(struct limit_share *share, uint64_t drawn,
                        uint64_t used);

/* Draw at least `bytes`; return 0 if not so many are left, which hits all
   scopes. */
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
