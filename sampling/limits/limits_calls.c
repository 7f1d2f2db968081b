/* SPDX-License-Identifier: Apache-2.0 */
/* limits_calls.c - the public functions; see limits_calls.h */
#include "sampling/limits/limits_calls.h"

const struct limits_calls *limits_calls = &limits_own_calls;

/* In a function that the program calls. */
#define STACK() ((uintptr_t)__builtin_frame_address(0))
#define BEGIN(scope, kind_of, ...)                                            \
    limits_calls->begin(scope,                                                \
                        &(struct limit_wanted){                               \
                            .kind = (kind_of),                                \
                            .action = action,                                 \
                            .caller = (uintptr_t)__builtin_return_address(0), \
                            __VA_ARGS__ },                                    \
                        STACK())

int limits_begin_global(struct limit_scope *scope, enum limit_action action)
{
    return BEGIN(scope, LIMIT_GLOBAL, .token = 0);
}

int limits_begin_allocation(struct limit_scope *scope, uint64_t bytes,
                            enum limit_action action)
{
    return BEGIN(scope, LIMIT_ALLOCATION, .bytes = bytes);
}

int limits_begin_live(struct limit_scope *scope, uint64_t bytes,
                      enum limit_action action)
{
    return BEGIN(scope, LIMIT_LIVE, .bytes = bytes);
}

int limits_begin_token(struct limit_scope *scope, struct limit_token *token,
                       enum limit_action action)
{
    return BEGIN(scope, LIMIT_TOKEN, .token = token);
}

int limits_begin_shared(struct limit_scope *scope, uint64_t bytes,
                        enum limit_action action)
{
    return BEGIN(scope, LIMIT_SHARED, .bytes = bytes);
}

int limits_join(struct limit_scope *scope, const struct limit_scope *shared,
                enum limit_action action)
{
    enum { INVALID = -22 };

    return shared == 0 || shared == scope
               ? INVALID
               : BEGIN(scope, LIMIT_SHARED, .from = shared);
}

int limits_end(struct limit_scope *scope, uint64_t *bytes_allocated)
{
    return limits_calls->end(scope, bytes_allocated);
}

int limits_on_threshold(struct limit_scope *scope, uint64_t bytes,
                        void (*callback)(void *context, uint64_t bytes),
                        void *context)
{
    const struct limit_threshold threshold = { bytes, callback, context };

    return limits_calls->on_threshold(scope, &threshold);
}

int limits_interrupted(void)
{
    return limits_calls->interrupted(STACK());
}

void limits_mask_begin(void)
{
    limits_calls->mask(1);
}

void limits_mask_end(void)
{
    limits_calls->mask(-1);
}

void limits_set_global(int64_t live_bytes)
{
    limits_calls->set_global(live_bytes);
}

void limits_use_sampling(double sampling_rate)
{
    limits_calls->use_sampling(sampling_rate);
}

uint64_t limits_budget(const char *name, uint64_t otherwise)
{
    return limits_calls->budget(name, otherwise);
}
