/* SPDX-License-Identifier: Apache-2.0 */
/* malloc_family.c - functions of every C library */
#include "wrapped/wrapped.h"

#include "tally/thread.h"

DECLARE_WRAPPED(void *, malloc, (size_t size));
DECLARE_WRAPPED(void, free, (void *block));

struct told_new *told_new;

/* Return the new that makes this call, or NULL: none, or another thread's. */
static inline struct told_new *surrounding_new(void)
{
    struct told_new *outer = __atomic_load_n(&told_new, __ATOMIC_RELAXED);

    return outer != NULL && tally_thread_current()->trace_locks != 0 ? outer
                                                                     : NULL;
}

static void *malloc_inside(size_t size, void *caller)
{
    void *block = __real_malloc(size);
    struct told_new *outer = surrounding_new();

    if (outer != NULL) {
        outer->inside.block = block;
        outer->inside.size = size;
        outer->inside.caller = caller;
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    if (!tally_mem_trace_enter())
        return malloc_inside(size, CALLER);
    return tell_malloc(__real_malloc(size), size, CALLER);
}

WRAP_AS(calloc, calloc, (size_t count, size_t size), (count, size), count, size)
WRAP_AS(realloc, realloc, (void *block, size_t size), (block, size), block,
        size)

void __wrap_free(void *block)
{
    bool is_told = tally_mem_trace_enter();
    struct told_new *outer = is_told ? NULL : surrounding_new();

    if (outer != NULL && outer->inside.block == block)
        outer->inside.block = NULL;
    __real_free(block);
    if (is_told)
        tell_free(block, CALLER);
}
