/* SPDX-License-Identifier: Apache-2.0 */
/* malloc_family.c - what every C library has */
#include "wrapped/wrapped.h"

DECLARE_WRAPPED(void *, malloc, (size_t size));
DECLARE_WRAPPED(void *, calloc, (size_t count, size_t size));
DECLARE_WRAPPED(void *, realloc, (void *block, size_t size));
DECLARE_WRAPPED(void, free, (void *block));

void *__wrap_malloc(size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_malloc(size);
    return tell_malloc(__real_malloc(size), size, CALLER);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_calloc(count, size);
    return tell_calloc(__real_calloc(count, size), count, size, CALLER);
}

void *__wrap_realloc(void *block, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real_realloc(block, size);
    return tell_realloc(__real_realloc(block, size), block, size, CALLER);
}

void __wrap_free(void *block)
{
    bool is_told = tally_mem_trace_enter();

    __real_free(block);
    if (is_told)
        tell_free(block, CALLER);
}
