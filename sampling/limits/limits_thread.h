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
};

/* Begin a scope; an open one in its place ends, as its frame was left. Return
   0, or an error of limits_begin_allocation() if nothing began. `is_sampled`:
   sample it, if its kind allows. */
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
   false if there is none. Scopes that were hit also count a refused block of
   `size` bytes in place of `before`. Thresholds set in this round wait for the
   next. */
bool limits_thread_take_threshold(struct limits_thread *thread, uint64_t size,
                                  uint64_t before,
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

/* Take a scope from the thread, with all scopes and masked sections inside it,
   and open it in a thread: inside that thread's scopes. */
int limits_thread_suspend(struct limits_thread *thread,
                          struct limit_scope *scope);
int limits_thread_resume(struct limits_thread *thread,
                         struct limit_scope *scope);

/*
 * Return true if `size` bytes may be allocated, in place of a block of
 * `before`; with both 0, if the present state is within limits. If not, a scope
 * was hit.
 */
bool limits_thread_admits(struct limits_thread *thread, uint64_t size,
                          uint64_t before);

/* Update scopes after an allocation, of at most LIMITS_CHARGE bytes: the sum of
   all may wrap, but no scope misses its end. */
#define LIMITS_CHARGE (UINT64_C(1) << 62)

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

/* Charge sampled scopes exactly from now on, after what samples charged. */
void limits_thread_count_exactly(struct limits_thread *thread);

/* Copy the scopes of the thread that forked to `thread` in the child. */
void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent);

/* Return true if the thread is in a sampled scope. */
bool limits_thread_is_sampled(const struct limits_thread *thread);

/* Return true in a masked section; the program's stack extends down to
   `stack`. */
bool limits_thread_is_blocked(const struct limits_thread *thread,
                              uintptr_t stack);

/* Return true if any scope of the thread is hit and not masked. */
bool limits_thread_is_interrupted(struct limits_thread *thread,
                                  uintptr_t stack);
