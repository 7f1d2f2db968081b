/* SPDX-License-Identifier: Apache-2.0 */
/* counted.c - calls that are counted and pass; see counted.h */
#include "recorder/counted.h"

#include "core/block_filter.h"
#include "recorder/alone_calls.h"
#include "recorder/counted_due.h"
#include "recorder/live_bytes.h"
#include "recorder/real_functions.h"
#include "recorder/traced.h"
#include "tally/port.h"

_Thread_local struct counted_thread *counted_own = &countdown_nobody;

void **tally_port_thread_word(void)
{
    return (void **)&counted_own;
}

static enum counted pass_as(enum counted counted, size_t size)
{
    return countdown_pass(counted_own, size) ? counted : COUNTED_IS_DUE;
}

enum counted counted_begin_slow(size_t size)
{
    uint32_t generation;

    if (UNLIKELY(__atomic_load_n(&alone_calls_are_of_one, __ATOMIC_RELAXED) &&
                 !words_are_alone()))
        alone_calls_follow_threads();
    if (countdown_is_in(counted_own, PLAIN_LOAD(&process.counting.alone)))
        return pass_as(COUNTED_ALONE, size);
    if (countdown_is_in(counted_own,
                        PLAIN_LOAD(&process.counting.alone_but_live)))
        return pass_as(COUNTED_LIVE, size);
    /* Who counts in a forked child is known once it has settled. */
    if (process.header == NULL &&
        (process_is_recorded() || process_is_new_but_refused()))
        record_is_listening();
    if (UNLIKELY(limits_must_follow()))
        limits_follow_fork();
    generation =
        __atomic_load_n(&process.counting.generation, __ATOMIC_ACQUIRE);
    if (generation == 0)
        return COUNTED_BY_NOBODY;
    return countdown_is_in(counted_own, generation)
               ? pass_as(COUNTED_PASSED, size)
               : COUNTED_IS_DUE;
}

/* More than there can be passes as next to nothing: a scope is hit by it all the same. */
static void ask_late(size_t size)
{
    struct counted_thread *thread = countdown_thread();

    if (thread != NULL)
        countdown_allows(thread, size, 0);
}

void *counted_failed(enum counted counted, size_t size)
{
    if (counted_is_bare(counted) || counted == COUNTED_PASSED) {
        countdown_unbill(counted_own, size);
        if (size > SIZE_MAX - 2 * COUNTDOWN_WORD)
            ask_late(size);
    }
    return NULL;
}

static inline __attribute__((always_inline)) void *
check(enum counted counted, void *block, size_t size)
{
    if (UNLIKELY(block == NULL)) {
        if (counted_is_bare(counted) && size != 0)
            record_failure();
        return counted_failed(counted, size);
    }
    if (counted != COUNTED_ALONE)
        live_bytes_change(0, block);
    return block;
}

static inline void *due(enum counted_call call, uintptr_t a, uintptr_t b,
                        uintptr_t c, uintptr_t caller)
{
    return (void *)counted_due(call, a, b, c, caller);
}

NOINLINE void *counted_failed_alone(size_t size)
{
    return check(COUNTED_ALONE, NULL, size);
}

/* What keeps little over the real call, because it goes there alone. */
void *counted_malloc(size_t size, uintptr_t caller)
{
    void *block;

    if (!counted_pass_alone(size))
        return counted_by_size(real.malloc, size, caller);
    block = real.malloc(size);
    return LIKELY(block != NULL) ? block : counted_failed_alone(size);
}

void *counted_by_size(void *(*allocate)(size_t size), size_t size,
                      uintptr_t caller)
{
    enum counted counted = counted_begin(size);

    if (counted_is_bare(counted))
        return check(counted, allocate(size), size);
    if (counted == COUNTED_IS_DUE)
        return due(COUNTED_BY_SIZE, (uintptr_t)allocate, size, 0, caller);
    return check(counted, traced_by_size(allocate, size, caller), size);
}

void *counted_aligned(void *(*allocate)(size_t alignment, size_t size),
                      size_t alignment, size_t size, uintptr_t caller)
{
    enum counted counted = counted_begin(size);

    if (counted_is_bare(counted))
        return check(counted, allocate(alignment, size), size);
    if (counted == COUNTED_IS_DUE)
        return due(COUNTED_ALIGNED, (uintptr_t)allocate, alignment, size,
                   caller);
    return check(counted, traced_aligned(allocate, alignment, size, caller),
                 size);
}

int counted_posix_memalign(void **block, size_t alignment, size_t size,
                           uintptr_t caller)
{
    enum counted counted = counted_begin(size);
    int error;

    if (counted == COUNTED_IS_DUE)
        return (int)counted_due(COUNTED_POSIX_MEMALIGN, (uintptr_t)block,
                                alignment, size, caller);
    error = counted_is_bare(counted)
                ? real.posix_memalign(block, alignment, size)
                : traced_posix_memalign(block, alignment, size, caller);
    check(counted, error == 0 ? *block : NULL, size);
    return error;
}

static NOINLINE void *calloc_slow(size_t count, size_t size, uintptr_t caller)
{
    size_t bytes = calloc_bytes(count, size, caller);
    enum counted counted = counted_begin(bytes);

    if (LIKELY(counted_is_bare(counted)))
        return check(counted, real.calloc(count, size), bytes);
    if (counted == COUNTED_IS_DUE)
        return due(COUNTED_CALLOC, count, size, 0, caller);
    return check(counted, traced_calloc(count, size, caller), bytes);
}

void *counted_calloc(size_t count, size_t size, uintptr_t caller)
{
    size_t bytes = count * size;
    void *block;

    /* The loader's vectors are not counted whole. */
    if (size == 2 * sizeof(void *) || !counted_pass_alone(bytes))
        return calloc_slow(count, size, caller);
    block = real.calloc(count, size);
    return LIKELY(block != NULL) ? block : counted_failed_alone(bytes);
}

static inline bool may_be_known(void *block)
{
    return block_filter_may_have(block) && block_filter_confirms(block);
}

static NOINLINE void *realloc_slow(void *block, size_t size, uintptr_t caller)
{
    enum counted counted = COUNTED_IS_DUE;
    int64_t before;
    void *moved;

    if (!may_be_known(block))
        counted = counted_begin(size);
    if (LIKELY(counted == COUNTED_ALONE))
        return check(COUNTED_ALONE, real.realloc(block, size), size);
    if (counted == COUNTED_IS_DUE && countdown_is_on())
        return due(COUNTED_REALLOC, (uintptr_t)block, size, 0, caller);
    before = live_bytes_of(block);
    if (counted == COUNTED_LIVE)
        moved = real.realloc(block, size);
    else
        moved = traced_realloc(block, size, caller);
    if (counted == COUNTED_LIVE && moved == NULL && size != 0)
        record_failure();
    if (moved != NULL || size == 0) /* which is free */
        live_bytes_change(before, moved);
    return moved != NULL ? moved : counted_failed(counted, size);
}

void *counted_realloc(void *block, size_t size, uintptr_t caller)
{
    void *moved;

    if (block_filter_may_have(block) || !counted_pass_alone(size))
        return realloc_slow(block, size, caller);
    moved = real.realloc(block, size);
    return LIKELY(moved != NULL) ? moved : counted_failed_alone(size);
}

static NOINLINE void free_slow(void *block, uintptr_t caller)
{
    if (UNLIKELY(may_be_known(block)))
        counted_release(block);
    if (LIKELY(PLAIN_LOAD(&process.counting.alone) != 0)) {
        real.free(block);
        return;
    }
    live_bytes_change(live_bytes_of(block), NULL);
    if (PLAIN_LOAD(&process.counting.alone_but_live) != 0)
        real.free(block);
    else
        traced_free(block, caller);
}

void counted_free(void *block, uintptr_t caller)
{
    if (LIKELY(!block_filter_may_have(block) &&
               PLAIN_LOAD(&process.counting.alone) != 0))
        real.free(block);
    else
        free_slow(block, caller);
}
