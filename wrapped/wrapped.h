/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrapped.h - functions that --wrap puts in the place of others
 *
 * The linker makes every call of NAME one of __wrap_NAME, also in libraries
 * that are linked statically, and __real_NAME the function itself. What one of
 * them calls inside another gives no event: mem_trace.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tally/private/tell.h"

/* Where the wrapped function was called. */
#define CALLER __builtin_return_address(0)

/* DECLARE_WRAPPED(void *, malloc, (size_t size)) */
#define DECLARE_WRAPPED(type, name, parameters) \
    type __real_##name parameters;              \
    type __wrap_##name parameters

/* One more that gives a block out: tell_##told() with what is behind. */
#define WRAP_AS(told, name, parameters, arguments, ...)                   \
    DECLARE_WRAPPED(void *, name, parameters);                            \
    void *__wrap_##name parameters                                        \
    {                                                                     \
        if (!tally_mem_trace_enter())                                     \
            return __real_##name arguments;                               \
        return tell_##told(__real_##name arguments, __VA_ARGS__, CALLER); \
    }

#define WRAP_AS_FREE(name, parameters, arguments) \
    DECLARE_WRAPPED(void, name, parameters);      \
    void __wrap_##name parameters                 \
    {                                             \
        bool is_told = tally_mem_trace_enter();   \
                                                  \
        __real_##name arguments;                  \
        if (is_told)                              \
            tell_free(block, CALLER);             \
    }

/*
 * A new that is being traced. When it fails, the exception it throws outlives
 * it, and is given back as any block is: `inside` is what malloc handed out
 * last.
 */
struct told_new {
    void *result;
    size_t size;
    void *caller;
    struct {
        void *block;
        size_t size;
        void *caller;
    } inside;
    bool has_returned; /* false: by an exception */
};

/* The thread that holds the lock of tally/mem_trace.h sets and clears it. */
extern __attribute__((visibility("hidden"))) struct told_new *told_new;
