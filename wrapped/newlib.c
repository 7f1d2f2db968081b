/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newlib.c - newlib's own functions, which take its state of the thread
 *
 * Its malloc ends in a jump to _malloc_r, so the caller is right here too. What
 * newlib allocates for itself comes this way only.
 */
#include "wrapped/wrapped.h"

struct _reent;

DECLARE_WRAPPED(void *, _calloc_r,
                (struct _reent * state, size_t count, size_t size));
DECLARE_WRAPPED(void *, _realloc_r,
                (struct _reent * state, void *block, size_t size));
DECLARE_WRAPPED(void, _free_r, (struct _reent * state, void *block));

WRAP_AS_MALLOC(_malloc_r, (struct _reent * state, size_t size), (state, size))
WRAP_AS_MALLOC(_memalign_r,
               (struct _reent * state, size_t alignment, size_t size),
               (state, alignment, size))

void *__wrap__calloc_r(struct _reent *state, size_t count, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real__calloc_r(state, count, size);
    return tell_calloc(__real__calloc_r(state, count, size), count, size,
                       CALLER);
}

void *__wrap__realloc_r(struct _reent *state, void *block, size_t size)
{
    if (!tally_mem_trace_enter())
        return __real__realloc_r(state, block, size);
    return tell_realloc(__real__realloc_r(state, block, size), block, size,
                        CALLER);
}

void __wrap__free_r(struct _reent *state, void *block)
{
    bool is_told = tally_mem_trace_enter();

    __real__free_r(state, block);
    if (is_told)
        tell_free(block, CALLER);
}
