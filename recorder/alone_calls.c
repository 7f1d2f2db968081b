/* SPDX-License-Identifier: Apache-2.0 */
/* alone_calls.c - from an entry point to the allocator; see alone_calls.h */
#include "recorder/alone_calls.h"

#include "core/block_filter.h"
#include "recorder/bootstrap_arena.h"
#include "recorder/counted.h"
#include "recorder/real_functions.h"

static void *idle_malloc(size_t size)
{
    return real.malloc(size);
}

static void *idle_calloc(size_t count, size_t size)
{
    return real.calloc(count, size);
}

static void *idle_realloc(void *block, size_t size)
{
    return LIKELY(!bootstrap_owns(block))
               ? real.realloc(block, size)
               : counted_realloc(block, size, CALLER);
}

static void idle_free(void *block)
{
    if (LIKELY(!bootstrap_owns(block)))
        real.free(block);
    else
        counted_free(block, CALLER);
}

static inline __attribute__((always_inline)) bool pass_by_words(size_t size)
{
    struct counted_thread *thread = counted_own;

    return LIKELY(thread->generation ==
                      PLAIN_LOAD(&process.counting.alone_by_words) &&
                  countdown_pass_by_words(thread, size));
}

static inline __attribute__((always_inline)) bool pass_by_bytes(size_t size)
{
    struct counted_thread *thread = counted_own;

    return LIKELY(thread->generation ==
                      PLAIN_LOAD(&process.counting.alone_by_bytes) &&
                  countdown_pass_by_bytes(thread, size));
}

/* The loader's vectors are not counted whole: traced.h, calloc_bytes(). */
static inline bool is_whole(size_t size)
{
    return LIKELY(size != 2 * sizeof(void *));
}

static void *malloc_by_words(size_t size)
{
    return pass_by_words(size) ? real.malloc(size)
                               : counted_by_size(real.malloc, size, CALLER);
}

static void *calloc_by_words(size_t count, size_t size)
{
    return is_whole(size) && pass_by_words(count * size)
               ? real.calloc(count, size)
               : counted_calloc(count, size, CALLER);
}

static void *realloc_by_words(void *block, size_t size)
{
    return !block_filter_may_have(block) && pass_by_words(size)
               ? real.realloc(block, size)
               : counted_realloc(block, size, CALLER);
}

static void *malloc_by_bytes(size_t size)
{
    void *block;

    if (!pass_by_bytes(size))
        return counted_by_size(real.malloc, size, CALLER);
    block = real.malloc(size);
    return LIKELY(block != NULL) ? block : counted_failed_alone(size);
}

static void *calloc_by_bytes(size_t count, size_t size)
{
    void *block;

    if (!is_whole(size) || !pass_by_bytes(count * size))
        return counted_calloc(count, size, CALLER);
    block = real.calloc(count, size);
    return LIKELY(block != NULL) ? block : counted_failed_alone(count * size);
}

static void *realloc_by_bytes(void *block, size_t size)
{
    void *moved;

    if (block_filter_may_have(block) || !pass_by_bytes(size))
        return counted_realloc(block, size, CALLER);
    moved = real.realloc(block, size);
    return LIKELY(moved != NULL) ? moved : counted_failed_alone(size);
}

/* Blocks of the bootstrap arena are in the filter as well. */
static void free_filtered(void *block)
{
    if (!block_filter_may_have(block))
        real.free(block);
    else
        counted_free(block, CALLER);
}

struct alone_calls alone = {
    .malloc = idle_malloc,
    .calloc = idle_calloc,
    .realloc = idle_realloc,
    .free = idle_free,
};

static const struct alone_calls by_words = {
    .malloc = malloc_by_words,
    .calloc = calloc_by_words,
    .realloc = realloc_by_words,
    .free = free_filtered,
};

static const struct alone_calls by_bytes = {
    .malloc = malloc_by_bytes,
    .calloc = calloc_by_bytes,
    .realloc = realloc_by_bytes,
    .free = free_filtered,
};

static const struct alone_calls idle = {
    .malloc = idle_malloc,
    .calloc = idle_calloc,
    .realloc = idle_realloc,
    .free = idle_free,
};

static void take(const struct alone_calls *chosen)
{
    __atomic_store_n(&alone.malloc, chosen->malloc, __ATOMIC_RELEASE);
    __atomic_store_n(&alone.calloc, chosen->calloc, __ATOMIC_RELEASE);
    __atomic_store_n(&alone.realloc, chosen->realloc, __ATOMIC_RELEASE);
    __atomic_store_n(&alone.free, chosen->free, __ATOMIC_RELEASE);
}

/* Unless another way was taken meanwhile. */
void alone_calls_shorten(void)
{
    void *(*by_size)(size_t) = idle_malloc;
    void *(*by_count)(size_t, size_t) = idle_calloc;

    __atomic_compare_exchange_n(&alone.malloc, &by_size, real.malloc, false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&alone.calloc, &by_count, real.calloc, false,
                                __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void alone_calls_take(enum process_way way, enum countdown_unit unit)
{
    if (way != PROCESS_COUNTS_ALONE)
        take(&idle);
    else
        take(unit == COUNTDOWN_BYTES ? &by_bytes : &by_words);
    if (real_functions_are_found())
        alone_calls_shorten();
}
