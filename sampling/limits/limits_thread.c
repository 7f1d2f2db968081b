/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_thread.c - decide which scope is hit; limits_thread.h has the rules
 *
 * This file is long because it is one state machine for scopes of all kinds:
 * begin, end and hit. Walks go from the innermost scope outwards and carry
 * LIMIT_ENOMEM along: once an outer scope is hit, malloc fails inside any inner
 * scope with that action.
 */
#include "sampling/limits/limits_thread.h"

#include "core/base/own_memory.h"
#include "format/invariant.h"
#include "sampling/countdown/countdown.h"
#include "sampling/limits/limits_live.h"
#include "sampling/limits/limits_share.h"

#define NEVER UINT64_MAX

/* Error numbers, which core lacks. */
enum { ERROR_NO_MEMORY = -12, ERROR_INVALID = -22 };

/* An open scope, or one of limits_thread.spare. */
struct limit_state {
    struct limit_state *outer;       /* first: in the list of unused states */
    const struct limit_scope *scope; /* its name */
    const struct limit_token *token;
    struct limit_share *share;
    uint64_t begin; /* allocated bytes at the begin; LIMIT_LIVE: live bytes */
    uint64_t end;   /* allocated bytes at which it is hit; LIMIT_SHARED: at
                       which to draw more; LIMIT_LIVE and sampled: the limit */
    int64_t remaining; /* sampled: bytes left */
    struct limit_threshold threshold;
    uint32_t round; /* round in which its threshold was set */
    uint32_t masks; /* of the thread at the begin */
    uint8_t kind;   /* enum limit_kind */
    uint8_t action; /* enum limit_action */
    bool is_sampled;
    bool is_joined;
    bool is_hit;
    bool is_resumed; /* possibly from another thread */
};

enum {
    PAGE = 4096, /* bytes between checks if a scope was left */
    /* states that a thread takes at once */
    STATES = PAGE / sizeof(struct limit_state),
};

/* States in use by no thread. With the countdown's lock held. */
static void *spare_states;

/* Give back a list of states. */
static __attribute__((noinline)) void give_back(struct limit_state *first,
                                                struct limit_state *last)
{
    countdown_lock();
    last->outer = spare_states;
    spare_states = first;
    countdown_unlock();
}

static bool add_states(struct limits_thread *thread)
{
    static struct own_memory own = OWN_MEMORY_OF("limit_state");
    struct limit_state *state = thread->spare;

    countdown_lock();
    for (unsigned i = 0; i < STATES; i++) {
        state = own_memory_piece(&own, &spare_states, sizeof *state);
        if (state == NULL)
            break;
        state->outer = thread->spare;
        thread->spare = state;
    }
    countdown_unlock();
    return thread->spare != NULL;
}

static const int *word_of(const struct limit_token *token)
{
    return (const int *)(const void *)&token->set;
}

static bool is_spared(const struct limits_thread *thread)
{
    return thread->spared != 0 || limits_thread_is_masked(thread);
}

static bool is_set(const struct limit_token *token)
{
    return __atomic_load_n(word_of(token), __ATOMIC_ACQUIRE) != 0;
}

/* Return live bytes of the thread's blocks, relative to some point; may
   wrap. */
static uint64_t live_of(const struct limits_thread *thread)
{
    return (uint64_t)limits_live_bytes(thread->live);
}

/* Return true if these are its own bytes. */
static bool has_live(const struct limits_thread *thread)
{
    return thread->live != NULL && thread->live != &limits_live.shared;
}

static uint64_t above(uint64_t now, uint64_t begin)
{
    return (int64_t)(now - begin) > 0 ? now - begin : 0;
}

/* Store the bytes that a LIMIT_LIVE scope has left; return false if it is
   exceeded. */
static bool live_room(const struct limits_thread *thread,
                      const struct limit_state *scope, uint64_t *room)
{
    return !__builtin_sub_overflow(
        (int64_t)scope->end, (int64_t)(live_of(thread) - scope->begin), room);
}

/* Return the used bytes of a scope's limit, as its threshold counts them. */
static uint64_t used_of(const struct limits_thread *thread,
                        const struct limit_state *scope)
{
    if (scope->is_sampled)
        return scope->end - (uint64_t)scope->remaining;
    if (scope->kind == LIMIT_LIVE)
        return above(live_of(thread), scope->begin);
    if (scope->kind == LIMIT_GLOBAL)
        return above((uint64_t)limits_live_read(), 0);
    if (scope->kind == LIMIT_SHARED)
        return limits_share_drawn(scope->share) +
               (scope->is_joined ? above(thread->allocated, scope->end) : 0);
    return thread->allocated - scope->begin;
}

/* Return the bytes up to the end of a scope, which may lie beyond 2^64. */
static uint64_t left_of(const struct limits_thread *thread,
                        const struct limit_state *scope)
{
    uint64_t used = thread->allocated - scope->begin;
    uint64_t limit = scope->end - scope->begin;

    return limit > used ? limit - used : 0;
}

/* Return true if the scope has, or has just drawn, `size` more bytes of its
   shared budget. */
static bool is_drawn(const struct limits_thread *thread,
                     struct limit_state *scope, uint64_t size)
{
    uint64_t had = scope->end - scope->begin, now, drawn;

    if (limits_share_is_hit(scope->share))
        return false;
    if (__builtin_add_overflow(thread->allocated - scope->begin, size, &now))
        now = NEVER;
    if (now <= had)
        return true;
    drawn = limits_share_draw(scope->share, now - had);
    scope->end += drawn;
    return drawn != 0;
}

static void hit(struct limit_state *scope)
{
    INVARIANT(I2, !scope->is_hit);
    scope->is_hit = true;
}

/* Return the bytes of `size` that a scope charges, in place of `before`. */
static uint64_t more_of(const struct limit_state *scope, uint64_t size,
                        uint64_t before)
{
    if (scope->kind != LIMIT_GLOBAL && scope->kind != LIMIT_LIVE)
        return size;
    return size > before ? size - before : 0;
}

/* Return true if `size` bytes, in place of a block of `before`, reach the limit
   of an exact scope. */
static bool is_reached(const struct limits_thread *thread,
                       struct limit_state *scope, uint64_t size,
                       uint64_t before)
{
    uint64_t more = more_of(scope, size, before), room;

    switch ((enum limit_kind)scope->kind) {
    case LIMIT_TOKEN:
        return is_set(scope->token);
    case LIMIT_GLOBAL:
        return !limits_live_admits(more);
    case LIMIT_LIVE:
        return !live_room(thread, scope, &room) || more > room;
    case LIMIT_SHARED:
        return scope->is_joined ? !is_drawn(thread, scope, more)
                                : limits_share_is_hit(scope->share);
    case LIMIT_MASK:
        return false;
    case LIMIT_ALLOCATION:
        break;
    }
    return scope->end - scope->begin != NEVER && more >= left_of(thread, scope);
}

/* End the scope at `*place`, a link of the thread's list, and the masks that
   began in it. */
static inline __attribute__((always_inline)) void
end_one(struct limits_thread *thread, struct limit_state **place)
{
    struct limit_state *state = *place;

    *place = state->outer; /* signal handlers find the list intact */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (state->share != NULL)
        limits_share_close(state->share, left_of(thread, state),
                           state->is_joined ? thread->allocated - state->begin
                                            : 0);
    if (state->kind == LIMIT_MASK)
        thread->masked--;
    if (thread->masks > state->masks)
        thread->masks = state->masks;
    if (state->is_resumed) { /* one thread may begin what another ends */
        give_back(state, state);
        return;
    }
    state->outer = thread->spare;
    thread->spare = state;
}

/* Return the link to the scope, or to NULL. */
static struct limit_state **find(struct limits_thread *thread,
                                 const struct limit_scope *scope)
{
    struct limit_state **place = &thread->innermost;

    while (*place != NULL && (*place)->scope != scope)
        place = &(*place)->outer;
    return place;
}

/* Return the end of a new scope: struct limit_state. */
static uint64_t end_of(const struct limits_thread *thread,
                       const struct limit_wanted *wanted, bool is_sampled)
{
    uint64_t bytes = wanted->bytes;

    if (is_sampled || wanted->kind == LIMIT_LIVE)
        return bytes < INT64_MAX ? bytes : INT64_MAX;
    if (wanted->kind == LIMIT_ALLOCATION)
        return thread->allocated +
               (bytes <= NEVER - LIMITS_CHARGE ? bytes : NEVER);
    return wanted->kind == LIMIT_SHARED ? thread->allocated : NEVER;
}

int limits_thread_begin(struct limits_thread *thread, struct limit_scope *scope,
                        const struct limit_wanted *wanted, bool is_sampled)
{
    struct limit_state **place = find(thread, scope), *state;
    struct limit_share *share = NULL;
    uint64_t end;

    if (wanted->kind == LIMIT_SHARED && wanted->from == scope)
        return ERROR_INVALID;
    if (*place != NULL)
        end_one(thread, place);
    if (thread->spare == NULL && !add_states(thread))
        return ERROR_NO_MEMORY;
    if (wanted->kind == LIMIT_LIVE && !has_live(thread))
        return ERROR_NO_MEMORY;
    if (wanted->kind == LIMIT_SHARED) {
        share = limits_share_open(scope, wanted->from, wanted->bytes);
        if (share == NULL)
            return wanted->from == NULL ? ERROR_NO_MEMORY : ERROR_INVALID;
    }
    state = thread->spare;
    thread->spare = state->outer;
    is_sampled = is_sampled && wanted->kind != LIMIT_LIVE &&
                 wanted->kind != LIMIT_SHARED && wanted->kind != LIMIT_MASK;
    end = end_of(thread, wanted, is_sampled);
    *state = (struct limit_state){
        .scope = scope,
        .outer = thread->innermost,
        .token = wanted->token,
        .share = share,
        .begin =
            wanted->kind == LIMIT_LIVE ? live_of(thread) : thread->allocated,
        .end = end,
        .remaining = (int64_t)end,
        .threshold = { 0, NULL, NULL },
        .round = 0,
        .masks = thread->masks,
        .kind = (uint8_t)wanted->kind,
        .action = (uint8_t)wanted->action,
        .is_sampled = is_sampled,
        .is_joined = wanted->from != NULL,
        .is_hit = false,
        .is_resumed = false,
    };
    limits_scope_mark(scope);
    /* A handler that interrupts here finds the scope complete or absent. */
    INVARIANT(I1, state->scope == scope && state->outer == thread->innermost);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->innermost = state;
    thread->masked += wanted->kind == LIMIT_MASK;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return 0;
}

/* Return true if the scope's frame was left, given that the stack extends down
   to `stack`; with `looks_into`, also if another frame has overwritten it. */
static bool is_gone(const struct limit_state *state, uintptr_t stack,
                    bool looks_into)
{
    uintptr_t scope = (uintptr_t)state->scope;

    return (scope < stack || looks_into) && stack != 0 &&
           countdown_carrier.is_own_stack != NULL &&
           countdown_carrier.is_own_stack(scope < stack ? scope : stack,
                                          scope < stack ? stack : scope) &&
           (scope < stack || !limits_scope_is_marked(state->scope));
}

bool limits_thread_drop(struct limits_thread *thread, uintptr_t stack,
                        bool looks_into)
{
    struct limit_state **place = &thread->innermost;
    bool is_any = false;

    while (*place != NULL) {
        if (is_gone(*place, stack,
                    looks_into || (*place)->kind == LIMIT_MASK)) {
            end_one(thread, place);
            is_any = true;
        } else {
            place = &(*place)->outer;
        }
    }
    return is_any;
}

int limits_thread_end(struct limits_thread *thread, struct limit_scope *scope,
                      uint64_t *bytes_allocated)
{
    const struct limit_state *state = *find(thread, scope), *outer;
    uint64_t used;
    bool is_hit;

    if (state == NULL && limits_thread_resume(thread, scope) == 0)
        state = *find(thread, scope);
    if (state == NULL)
        return ERROR_INVALID;
    outer = state->outer;
    used = state->is_sampled || state->kind == LIMIT_LIVE
               ? used_of(thread, state)
               : thread->allocated - state->begin;
    is_hit = state->is_hit ||
             (state->kind == LIMIT_TOKEN && is_set(state->token)) ||
             (state->share != NULL && limits_share_is_hit(state->share));
    if (state->share != NULL && !state->is_joined)
        used = limits_share_used(state->share);
    if (bytes_allocated != NULL)
        *bytes_allocated = used;
    while (thread->innermost != outer) /* with all scopes inside it */
        end_one(thread, &thread->innermost);
    return is_hit;
}

void limits_thread_leave(struct limits_thread *thread)
{
    struct limit_state *last;

    while (thread->innermost != NULL)
        end_one(thread, &thread->innermost);
    last = thread->spare;
    while (last != NULL && last->outer != NULL)
        last = last->outer;
    if (last != NULL)
        give_back(thread->spare, last);
    *thread = (struct limits_thread){ .innermost = NULL };
}

/* Mark of a suspended scope, beside the address of the innermost one in it. */
#define SUSPENDED UINT64_C(0x53757370656e6465)

/* Count a list of scopes from the thread's figures, or with -1 from 0; `masks`
   began outside of it. Return the end of the list. */
static struct limit_state **rebase(struct limits_thread *thread,
                                   struct limit_state **place, uint32_t masks,
                                   int sign)
{
    for (; *place != NULL; place = &(*place)->outer) {
        struct limit_state *state = *place;
        uint64_t now =
            state->kind == LIMIT_LIVE ? live_of(thread) : thread->allocated;

        state->begin += (uint64_t)sign * now;
        if (!state->is_sampled &&
            (state->kind == LIMIT_ALLOCATION || state->kind == LIMIT_SHARED))
            state->end += (uint64_t)sign * now;
        state->masks += (uint32_t)sign * masks;
        state->is_resumed = true;
        thread->masked += (uint32_t)(sign * (state->kind == LIMIT_MASK));
    }
    return place;
}

int limits_thread_suspend(struct limits_thread *thread,
                          struct limit_scope *scope)
{
    struct limit_state *inner = thread->innermost;
    struct limit_state *outermost = *find(thread, scope);
    uint32_t masks;

    if (outermost == NULL)
        return ERROR_INVALID;
    masks = outermost->masks;
    thread->innermost = outermost->outer; /* I1 */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    outermost->outer = NULL;
    rebase(thread, &inner, masks, -1);
    scope->private[2] = (uintptr_t)inner;
    scope->private[3] = SUSPENDED ^ (uintptr_t)inner;
    scope->private[4] = thread->masks > masks ? thread->masks - masks : 0;
    thread->masks -= (uint32_t)scope->private[4];
    return 0;
}

int limits_thread_resume(struct limits_thread *thread,
                         struct limit_scope *scope)
{
    struct limit_state *inner, *state;

    if (scope == NULL || scope->private[2] == 0 ||
        scope->private[3] != (SUSPENDED ^ scope->private[2]))
        return ERROR_INVALID;
    inner = (struct limit_state *)(uintptr_t)scope->private[2];
    for (state = inner; state != NULL; state = state->outer) {
        if (state->kind == LIMIT_LIVE && !has_live(thread))
            return ERROR_NO_MEMORY;
    }
    *rebase(thread, &inner, thread->masks, 1) = thread->innermost;
    thread->masks += (uint32_t)scope->private[4];
    limits_scope_mark(scope);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->innermost = inner;
    return 0;
}

void limits_thread_count_exactly(struct limits_thread *thread)
{
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        if (!scope->is_sampled)
            continue;
        scope->begin = thread->allocated - used_of(thread, scope);
        scope->end =
            scope->kind == LIMIT_ALLOCATION ? scope->begin + scope->end : NEVER;
        scope->is_sampled = false;
    }
}

void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent)
{
    *thread = *parent;
    limits_live_alone(thread->live);
}

int limits_thread_set_threshold(struct limits_thread *thread,
                                const struct limit_scope *scope,
                                const struct limit_threshold *threshold)
{
    struct limit_state *state = *find(thread, scope);

    if (state == NULL)
        return ERROR_INVALID;
    state->threshold = *threshold;
    state->round = thread->round;
    return 0;
}

bool limits_thread_take_threshold(struct limits_thread *thread, uint64_t size,
                                  uint64_t before,
                                  struct limit_threshold *reached)
{
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        uint64_t used;

        if (scope->threshold.callback == NULL || scope->round == thread->round)
            continue;
        used = used_of(thread, scope);
        if (scope->is_hit &&
            __builtin_add_overflow(used, more_of(scope, size, before), &used))
            used = NEVER;
        if (used < scope->threshold.bytes)
            continue;
        *reached = scope->threshold;
        reached->bytes = used;
        scope->threshold.callback = NULL;
        return true;
    }
    return false;
}

bool limits_thread_admits(struct limits_thread *thread, uint64_t size,
                          uint64_t before)
{
    bool refuses = false;

    if (is_spared(thread))
        return true;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        refuses = refuses || scope->action == LIMIT_ENOMEM;
        if (!refuses)
            continue;
        if (scope->is_hit)
            return false;
        if (!scope->is_sampled && is_reached(thread, scope, size, before)) {
            hit(scope);
            return false;
        }
    }
    return true;
}

void limits_thread_update(struct limits_thread *thread)
{
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        if (!scope->is_hit && !scope->is_sampled &&
            is_reached(thread, scope, 0, 0))
            hit(scope);
    }
}

bool limits_thread_sample(struct limits_thread *thread, uint64_t samples,
                          uint64_t period)
{
    bool is_refused = false, refuses = false;
    int64_t bytes;

    if (__builtin_mul_overflow(samples, period * sizeof(void *), &bytes))
        bytes = INT64_MAX;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        if (scope->is_sampled) {
            if (__builtin_sub_overflow(scope->remaining, bytes,
                                       &scope->remaining))
                scope->remaining = INT64_MIN;
            if (!scope->is_hit && (scope->kind == LIMIT_ALLOCATION
                                       ? scope->remaining <= 0
                                       : is_reached(thread, scope, 0, 0)))
                hit(scope);
        }
        refuses = refuses || scope->action == LIMIT_ENOMEM;
        is_refused = is_refused || (refuses && scope->is_hit);
    }
    return !is_refused || is_spared(thread);
}

/* Return the live bytes between checks; also needed by threads in no scope,
   whose bytes count for others. */
static uint64_t live_step(struct limits_thread *thread)
{
    int64_t room = thread->live != NULL ? limits_live_room() : INT64_MAX;
    uint64_t step;

    thread->nearness = 0;
    thread->live_due = INT64_MAX;
    if (room == INT64_MAX)
        return NEVER;
    step = limits_live_step(room);
    thread->nearness = limits_live_nearness(room);
    thread->live_due = limits_live_bytes(thread->live) + (int64_t)step;
    return step;
}

/* Check again when `more` bytes are live. */
static uint64_t until_live(struct limits_thread *thread, uint64_t more)
{
    int64_t due;

    if (!__builtin_add_overflow(limits_live_bytes(thread->live), more, &due) &&
        due < thread->live_due)
        thread->live_due = due;
    return more;
}

/* Return the distance of a scope to its limit. */
static uint64_t distance_to(struct limits_thread *thread,
                            const struct limit_state *scope, uint64_t step)
{
    uint64_t room;

    switch ((enum limit_kind)scope->kind) {
    case LIMIT_TOKEN: /* checked by limits_interrupted() */
    case LIMIT_MASK:
        return NEVER;
    case LIMIT_GLOBAL:
        return step;
    case LIMIT_LIVE:
        return live_room(thread, scope, &room)
                   ? until_live(thread, limits_live_within(room))
                   : 0;
    case LIMIT_SHARED:
        if (!scope->is_joined) /* others may hit it at any time */
            return limits_share_part(scope->share);
        break;
    case LIMIT_ALLOCATION:
        break;
    }
    return left_of(thread, scope);
}

/* A shared budget checks its threshold at each draw. In a masked section one
   that is reached waits. */
static uint64_t distance_to_threshold(struct limits_thread *thread,
                                      const struct limit_state *scope)
{
    uint64_t used, left;

    if (scope->threshold.callback == NULL || scope->is_sampled ||
        scope->kind == LIMIT_SHARED)
        return NEVER;
    used = used_of(thread, scope);
    left = scope->threshold.bytes > used ? scope->threshold.bytes - used : 0;
    if (scope->kind == LIMIT_GLOBAL)
        left = limits_live_step(left < INT64_MAX ? (int64_t)left : INT64_MAX);
    if (thread->live != NULL && scope->kind != LIMIT_ALLOCATION &&
        scope->kind != LIMIT_TOKEN)
        until_live(thread, left != 0 ? left - 1 : 0);
    return left == 0 && limits_thread_is_masked(thread) ? PAGE : left;
}

/* A single token is polled by its word; with several, check at each block. */
static uint64_t poll(struct limits_thread *thread,
                     const struct limit_token *token)
{
    if (is_set(token) ||
        (thread->polled != NULL && thread->polled != word_of(token)))
        return 0;
    thread->polled = word_of(token);
    return NEVER;
}

uint64_t limits_thread_distance(struct limits_thread *thread)
{
    uint64_t nearest = NEVER, step = live_step(thread);
    bool refuses = false;

    thread->polled = NULL;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        uint64_t distance = NEVER;

        refuses =
            refuses || (scope->action == LIMIT_ENOMEM && !is_spared(thread));
        if (!scope->is_hit && !scope->is_sampled)
            distance = distance_to(thread, scope, step);
        if (refuses && scope->is_hit)
            distance = 0;
        else if (scope->is_hit && thread->masked != 0) /* see if it is left */
            distance = PAGE;
        else if (refuses && scope->kind == LIMIT_TOKEN && !scope->is_sampled)
            distance = poll(thread, scope->token);
        nearest = nearest < distance ? nearest : distance;
        distance = distance_to_threshold(thread, scope);
        nearest = nearest < distance ? nearest : distance;
    }
    return nearest;
}

bool limits_thread_is_sampled(const struct limits_thread *thread)
{
    const struct limit_state *scope = thread->innermost;

    while (scope != NULL && !scope->is_sampled)
        scope = scope->outer;
    return scope != NULL;
}

/* Return true if the scope is hit now: a token, or other threads' bytes, may
   have changed since the last allocation. */
static bool is_hit_now(const struct limits_thread *thread,
                       struct limit_state *scope)
{
    if (!scope->is_hit && scope->kind != LIMIT_ALLOCATION &&
        (scope->kind == LIMIT_TOKEN || !scope->is_sampled) &&
        (scope->kind == LIMIT_SHARED ? limits_share_is_hit(scope->share)
                                     : is_reached(thread, scope, 0, 0)))
        hit(scope);
    return scope->is_hit;
}

bool limits_thread_is_blocked(const struct limits_thread *thread,
                              uintptr_t stack)
{
    const struct limit_state *scope =
        thread->masked != 0 ? thread->innermost : NULL;

    while (scope != NULL &&
           (scope->kind != LIMIT_MASK || is_gone(scope, stack, true)))
        scope = scope->outer;
    return thread->masks != 0 || scope != NULL;
}

bool limits_thread_is_interrupted(struct limits_thread *thread, uintptr_t stack)
{
    struct limit_state *scope = thread->innermost;

    while (scope != NULL &&
           !(is_hit_now(thread, scope) && !is_gone(scope, stack, true)))
        scope = scope->outer;
    return scope != NULL && !limits_thread_is_blocked(thread, stack);
}
