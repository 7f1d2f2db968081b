/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_thread.c - which scope is hit when; limits_thread.h has the rules
 *
 * Walks go from the innermost scope outwards. On the way LIMIT_ENOMEM gathers: what
 * interrupts an outer scope makes malloc fail for whoever inside has asked for it.
 */
#if __STDC_HOSTED__
#include "core/limits_thread.h"

#include "core/limits_live.h"

#define NEVER UINT64_MAX

/* What a limit_scope holds while it is open. */
struct __attribute__((may_alias)) limit_state {
    const struct limits_thread *thread; /* that is in it; NULL: it has ended */
    struct limit_state *outer;
    const struct limit_token *token;
    uint64_t begin;    /* allocated then */
    uint64_t end;      /* allocated when it is reached; sampled: the limit */
    int64_t remaining; /* sampled: bytes */
    uint8_t kind;      /* enum limit_kind */
    uint8_t action;    /* enum limit_action */
    bool is_sampled;
    bool is_hit;
};

_Static_assert(sizeof(struct limit_state) <= sizeof(struct limit_scope),
               "a scope holds its state");

static const int *word_of(const struct limit_token *token)
{
    return (const int *)(const void *)&token->set;
}

static bool is_set(const struct limit_token *token)
{
    return __atomic_load_n(word_of(token), __ATOMIC_ACQUIRE) != 0;
}

/* Whether `size` bytes more reach the limit of a scope that counts exactly. */
static bool is_reached(const struct limit_state *scope, uint64_t allocated,
                       uint64_t size)
{
    if (scope->kind == LIMIT_TOKEN)
        return is_set(scope->token);
    if (scope->kind == LIMIT_GLOBAL)
        return !limits_live_admits(size);
    if (scope->end == NEVER)
        return false;
    return allocated >= scope->end || size >= scope->end - allocated;
}

static bool is_used_up(const struct limit_state *scope)
{
    return scope->kind == LIMIT_ALLOCATION ? scope->remaining <= 0
                                           : is_reached(scope, 0, 0);
}

void limits_thread_begin(struct limits_thread *thread,
                         struct limit_scope *scope,
                         const struct limit_wanted *wanted, uint64_t allocated)
{
    struct limit_state *state = (struct limit_state *)(void *)scope;
    uint64_t end = wanted->kind == LIMIT_ALLOCATION ? wanted->bytes : NEVER;

    if (wanted->is_sampled)
        end = end < INT64_MAX ? end : INT64_MAX;
    else
        end = end < NEVER - allocated ? end + allocated : NEVER;
    *state = (struct limit_state){
        .thread = thread,
        .outer = thread->innermost,
        .token = wanted->token,
        .begin = allocated,
        .end = end,
        .remaining = (int64_t)end,
        .kind = (uint8_t)wanted->kind,
        .action = (uint8_t)wanted->action,
        .is_sampled = wanted->is_sampled,
    };
    /* I1: a handler that comes now finds it whole, or not at all. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->innermost = state;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Whether the thread is in this scope. Those inside it that were never ended may lie
 * where other things are by now; then it is taken at its word.
 */
static bool is_open(const struct limits_thread *thread,
                    const struct limit_state *wanted)
{
    const struct limit_state *scope = thread->innermost;

    while (scope != NULL && scope != wanted && scope->thread == thread)
        scope = scope->outer;
    return scope != NULL && wanted->thread == thread;
}

int limits_thread_end(struct limits_thread *thread, struct limit_scope *scope,
                      uint64_t allocated, uint64_t *bytes_allocated)
{
    struct limit_state *state = (struct limit_state *)(void *)scope;
    bool is_hit;

    if (!is_open(thread, state))
        return -1;
    thread->innermost = state->outer;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    is_hit =
        state->is_hit || (state->kind == LIMIT_TOKEN && is_set(state->token));
    if (bytes_allocated != NULL)
        *bytes_allocated = state->is_sampled
                               ? state->end - (uint64_t)state->remaining
                               : allocated - state->begin;
    state->thread = NULL;
    return is_hit;
}

void limits_thread_inherit(struct limits_thread *thread,
                           const struct limits_thread *parent)
{
    thread->innermost = parent->innermost;
    thread->masks = parent->masks;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer)
        scope->thread = thread;
}

bool limits_thread_admits(struct limits_thread *thread, uint64_t allocated,
                          uint64_t size)
{
    bool refuses = false;

    if (thread->masks != 0)
        return true;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        refuses = refuses || scope->action == LIMIT_ENOMEM;
        if (!refuses)
            continue;
        if (scope->is_hit)
            return false;
        if (!scope->is_sampled && is_reached(scope, allocated, size)) {
            scope->is_hit = true;
            return false;
        }
    }
    return true;
}

void limits_thread_settle(struct limits_thread *thread, uint64_t allocated)
{
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        if (!scope->is_hit && !scope->is_sampled &&
            is_reached(scope, allocated, 0))
            scope->is_hit = true;
    }
}

static int64_t subtract(int64_t remaining, int64_t bytes)
{
    int64_t left;

    return __builtin_sub_overflow(remaining, bytes, &left) ? INT64_MIN : left;
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
            scope->remaining = subtract(scope->remaining, bytes);
            if (!scope->is_hit && is_used_up(scope))
                scope->is_hit = true;
        }
        refuses = refuses || scope->action == LIMIT_ENOMEM;
        is_refused = is_refused || (refuses && scope->is_hit);
    }
    return !is_refused || thread->masks != 0;
}

/* Also for who is in no scope: others are, and what this one holds counts. */
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

/* How far a scope that was not hit is from being so. */
static uint64_t distance_to(const struct limit_state *scope, uint64_t step,
                            uint64_t allocated)
{
    if (scope->kind == LIMIT_TOKEN)
        return NEVER; /* limits_interrupted() looks */
    if (scope->kind == LIMIT_GLOBAL)
        return step;
    return allocated < scope->end ? scope->end - allocated : 0;
}

/* Of one token; of several somebody has to look each time. */
static uint64_t poll(struct limits_thread *thread,
                     const struct limit_token *token)
{
    if (is_set(token) ||
        (thread->polled != NULL && thread->polled != word_of(token)))
        return 0;
    thread->polled = word_of(token);
    return NEVER;
}

uint64_t limits_thread_distance(struct limits_thread *thread,
                                uint64_t allocated)
{
    uint64_t nearest = NEVER, step = live_step(thread);
    bool refuses = false;

    thread->polled = NULL;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer) {
        uint64_t distance = NEVER;

        refuses =
            refuses || (scope->action == LIMIT_ENOMEM && thread->masks == 0);
        if (!scope->is_hit && !scope->is_sampled)
            distance = distance_to(scope, step, allocated);
        if (refuses && scope->is_hit)
            distance = 0;
        else if (refuses && scope->kind == LIMIT_TOKEN && !scope->is_sampled)
            distance = poll(thread, scope->token);
        if (nearest > distance)
            nearest = distance;
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

/* A token, and what others hold, may have changed since the last allocation. */
static bool is_hit_now(struct limit_state *scope)
{
    if (!scope->is_hit && scope->kind != LIMIT_ALLOCATION &&
        (scope->kind == LIMIT_TOKEN || !scope->is_sampled) &&
        is_reached(scope, 0, 0))
        scope->is_hit = true;
    return scope->is_hit;
}

bool limits_thread_is_interrupted(struct limits_thread *thread)
{
    bool is_hit = false;

    if (thread->masks != 0)
        return false;
    for (struct limit_state *scope = thread->innermost; scope != NULL;
         scope = scope->outer)
        is_hit = is_hit_now(scope) || is_hit;
    return is_hit;
}
#else
typedef int limits_thread_is_for_hosts;
#endif
