/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrapped.h - functions that replace others by --wrap
 *
 * The linker redirects every call of NAME to __wrap_NAME, also in libraries
 * that are linked statically; __real_NAME is the function itself. Calls that
 * one of them makes inside another give no event: mem_trace.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tally/private/tell.h"

/* return address of the call to the wrapped function */
#define CALLER __builtin_return_address(0)

/* for example DECLARE_WRAPPED(void *, malloc, (size_t size)) */
#define DECLARE_WRAPPED(type, name, parameters) \
    type __real_##name parameters;              \
    type __wrap_##name parameters

/* Wrap a function that returns a block; report it by tell_##told(). */
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

/* A new that is being traced. If it fails, the exception it throws outlives it,
   and is freed like any block: `inside` is the latest block of malloc. */
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

/* Set and cleared by the thread that holds the lock of tally/mem_trace.h. */
extern __attribute__((visibility("hidden"))) struct told_new *told_new;
