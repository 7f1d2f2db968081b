/* SPDX-License-Identifier: Apache-2.0 */
/* alone_calls.c - from an entry point to the allocator; see alone_calls.h */
#include "recorder/alone_calls.h"

#include "core/block_filter.h"
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
    return real.realloc(block, size);
}

static void idle_free(void *block)
{
    real.free(block);
}

/* Whose threads these calls are right for: alone_calls.h. */
enum threads { MANY_THREADS, ONE_THREAD };

static inline __attribute__((always_inline)) bool
pass_by_words(size_t size, enum threads threads)
{
    struct counted_thread *thread = counted_own;

    return LIKELY(
        (threads == ONE_THREAD ||
         thread->generation == PLAIN_LOAD(&process.counting.alone_by_words)) &&
        countdown_pass_by_words(thread, size));
}

static inline __attribute__((always_inline)) bool
pass_by_bytes(size_t size, enum threads threads)
{
    struct counted_thread *thread = counted_own;

    return LIKELY(
        (threads == ONE_THREAD ||
         thread->generation == PLAIN_LOAD(&process.counting.alone_by_bytes)) &&
        countdown_pass_by_bytes(thread, size));
}

/* The loader's vectors are not counted whole: traced.h, calloc_bytes(). */
static inline bool is_whole(size_t size)
{
    return LIKELY(size != 2 * sizeof(void *));
}

#define BY_WORDS(threads, suffix)                                            \
    static void *malloc_by_words##suffix(size_t size)                        \
    {                                                                        \
        return pass_by_words(size, threads)                                  \
                   ? real.malloc(size)                                       \
                   : counted_by_size(real.malloc, size, CALLER);             \
    }                                                                        \
    static void *calloc_by_words##suffix(size_t count, size_t size)          \
    {                                                                        \
        return is_whole(size) && pass_by_words(count * size, threads)        \
                   ? real.calloc(count, size)                                \
                   : counted_calloc(count, size, CALLER);                    \
    }                                                                        \
    static void *realloc_by_words##suffix(void *block, size_t size)          \
    {                                                                        \
        return !block_filter_may_have(block) && pass_by_words(size, threads) \
                   ? real.realloc(block, size)                               \
                   : counted_realloc(block, size, CALLER);                   \
    }

BY_WORDS(MANY_THREADS, )
BY_WORDS(ONE_THREAD, _of_one)

#define BY_BYTES(threads, suffix)                                          \
    static void *malloc_by_bytes##suffix(size_t size)                      \
    {                                                                      \
        void *block;                                                       \
                                                                           \
        if (!pass_by_bytes(size, threads))                                 \
            return counted_by_size(real.malloc, size, CALLER);             \
        block = real.malloc(size);                                         \
        return LIKELY(block != NULL) ? block : counted_failed_alone(size); \
    }                                                                      \
    static void *calloc_by_bytes##suffix(size_t count, size_t size)        \
    {                                                                      \
        void *block;                                                       \
                                                                           \
        if (!is_whole(size) || !pass_by_bytes(count * size, threads))      \
            return counted_calloc(count, size, CALLER);                    \
        block = real.calloc(count, size);                                  \
        return LIKELY(block != NULL) ? block                               \
                                     : counted_failed_alone(count * size); \
    }                                                                      \
    static void *realloc_by_bytes##suffix(void *block, size_t size)        \
    {                                                                      \
        void *moved;                                                       \
                                                                           \
        if (block_filter_may_have(block) || !pass_by_bytes(size, threads)) \
            return counted_realloc(block, size, CALLER);                   \
        moved = real.realloc(block, size);                                 \
        return LIKELY(moved != NULL) ? moved : counted_failed_alone(size); \
    }

BY_BYTES(MANY_THREADS, )
BY_BYTES(ONE_THREAD, _of_one)

static void free_filtered(void *block)
{
    if (!block_filter_may_have(block))
        real.free(block);
    else
        counted_free(block, CALLER);
}

bool alone_calls_are_of_one;

struct alone_calls alone = {
    .malloc = idle_malloc,
    .calloc = idle_calloc,
    .realloc = idle_realloc,
    .free = idle_free,
};

/* By unit, and by how many threads there are. */
static const struct alone_calls counting[][2] = {
    [COUNTDOWN_BYTES] = {
        [MANY_THREADS] = { malloc_by_bytes, calloc_by_bytes, realloc_by_bytes,
                           free_filtered },
        [ONE_THREAD] = { malloc_by_bytes_of_one, calloc_by_bytes_of_one,
                         realloc_by_bytes_of_one, free_filtered },
    },
    [COUNTDOWN_WORDS] = {
        [MANY_THREADS] = { malloc_by_words, calloc_by_words, realloc_by_words,
                           free_filtered },
        [ONE_THREAD] = { malloc_by_words_of_one, calloc_by_words_of_one,
                         realloc_by_words_of_one, free_filtered },
    },
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

static void take_for(enum countdown_unit unit, enum threads threads)
{
    __atomic_store_n(&alone_calls_are_of_one, threads == ONE_THREAD,
                     __ATOMIC_RELEASE);
    countdown_nobody.countdown = 0;
    take(&counting[unit][threads]);
}

void alone_calls_follow_threads(void)
{
    void *(*now)(size_t) = __atomic_load_n(&alone.malloc, __ATOMIC_ACQUIRE);

    if (now == malloc_by_words_of_one)
        take_for(COUNTDOWN_WORDS, MANY_THREADS);
    else if (now == malloc_by_bytes_of_one)
        take_for(COUNTDOWN_BYTES, MANY_THREADS);
}

void alone_calls_take(enum process_way way, enum countdown_unit unit)
{
    if (way != PROCESS_COUNTS_ALONE)
        take(&idle);
    else
        take_for(unit, words_are_alone() ? ONE_THREAD : MANY_THREADS);
    if (real_functions_are_found())
        alone_calls_shorten();
}
