/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell.h - emit an event of tally/mem_trace.h and release the lock
 *
 * Call these after tally_mem_trace_enter() returned true. All but tell_free()
 * return `res`.
 */
#ifndef TALLY_PRIVATE_TELL_H
#define TALLY_PRIVATE_TELL_H

#include <stddef.h>

#include "tally/mem_trace.h"

static inline void *tell_malloc(void *res, size_t size, void *caller)
{
    mbed_mem_trace_malloc(res, size, caller);
    mbed_mem_trace_unlock();
    return res;
}

static inline void *tell_realloc(void *res, void *ptr, size_t size,
                                 void *caller)
{
    mbed_mem_trace_realloc(res, ptr, size, caller);
    mbed_mem_trace_unlock();
    return res;
}

static inline void *tell_calloc(void *res, size_t num, size_t size,
                                void *caller)
{
    mbed_mem_trace_calloc(res, num, size, caller);
    mbed_mem_trace_unlock();
    return res;
}

static inline void tell_free(void *ptr, void *caller)
{
    mbed_mem_trace_free(ptr, caller);
    mbed_mem_trace_unlock();
}

#endif /* TALLY_PRIVATE_TELL_H */
