/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - words shared by threads and signal handlers
 *
 * This is the inline part of tally/port.h, which core includes as
 * "port/words.h".
 *
 * A single instruction is atomic for a thread's own signal handlers at no cost;
 * for other threads it needs a lock prefix. While libc knows of no second
 * thread, the former suffices: docs/decisions/0008..
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TOP_BIT (UINT32_C(1) << 31)

#if defined __has_feature
#if __has_feature(thread_sanitizer)
#define WORDS_ARE_WATCHED
#endif
#elif defined __SANITIZE_THREAD__
#define WORDS_ARE_WATCHED
#endif

#if defined TALLY_RECORDER
/* glibc's word since 2.32; otherwise one that is always 0. */
extern const char *libc_single_threaded __attribute__((visibility("hidden")));
#define WORDS_ALONE (*libc_single_threaded)
#elif __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define WORDS_ALONE __libc_single_threaded
#endif

#if defined __x86_64__ && defined WORDS_ALONE && !defined WORDS_ARE_WATCHED

/* Return true if only signal handlers can interrupt. */
static inline bool words_are_alone(void)
{
    return WORDS_ALONE;
}

static inline bool words_swap_64_alone(uint64_t *word, uint64_t *seen,
                                       uint64_t wanted)
{
    bool is_swapped;

    __asm volatile("cmpxchgq %3, %1"
                   : "=@ccz"(is_swapped), "+m"(*word), "+a"(*seen)
                   : "r"(wanted)
                   : "memory");
    return is_swapped;
}

static inline bool words_clear_top_alone(uint32_t *word)
{
    bool was_set;

    __asm volatile("btrl $31, %1" : "=@ccc"(was_set), "+m"(*word) : : "memory");
    return was_set;
}
#else
static inline bool words_are_alone(void)
{
    return false;
}

#define words_swap_64_alone(word, seen, wanted) false
#define words_clear_top_alone(word)             false
#endif

/* Operations between these are not interrupted on platforms where those below
   are plain loads and stores. */
static inline uint32_t words_enter(void)
{
    return 0;
}

static inline void words_leave(uint32_t key)
{
    (void)key;
}

/* True if a swap may find a changed word. */
enum { WORDS_MAY_CHANGE = 1 };

/* Store `wanted` if the word is still `*seen`; otherwise store its value in
   `*seen`. `is_alone` is a fresh result of words_are_alone(). */
static inline bool words_swap_64(uint64_t *word, uint64_t *seen,
                                 uint64_t wanted, bool is_alone)
{
    if (is_alone)
        return words_swap_64_alone(word, seen, wanted);
    return __atomic_compare_exchange_n(word, seen, wanted, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Clear the highest bit if it is set; `*rest` is the remainder. */
static inline bool words_clear_top(uint32_t *word, uint32_t *rest,
                                   bool is_alone)
{
    uint32_t seen;

    if (is_alone) {
        bool was_set = words_clear_top_alone(word);

        *rest = *word;
        return was_set;
    }
    seen = __atomic_load_n(word, __ATOMIC_RELAXED);
    *rest = seen & ~TOP_BIT;
    return seen != *rest &&
           __atomic_compare_exchange_n(word, &seen, *rest, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/*
 * Subtract from a word of the calling thread, in one instruction (because of
 * its handlers) if the processor has one. Return true if the word was at most
 * `amount`.
 */
static inline __attribute__((always_inline)) bool
words_subtract_64(uint64_t *word, uint64_t amount)
{
#if defined __x86_64__ && !defined WORDS_ARE_WATCHED
    bool was_no_more;

    __asm volatile("subq %2, %1"
                   : "=@ccbe"(was_no_more), "+m"(*word)
                   : "r"(amount));
    return was_no_more;
#else
    bool was_no_more = *word <= amount;

    *word -= amount;
    return was_no_more;
#endif
}

/* Add to a word that only the thread and its handlers change. */
static inline void words_add_own_64(uint64_t *word, uint64_t amount)
{
#if defined __x86_64__ && !defined WORDS_ARE_WATCHED
    __asm volatile("addq %1, %0" : "+m"(*word) : "er"(amount) : "cc");
#else
    __atomic_fetch_add(word, amount, __ATOMIC_RELAXED);
#endif
}

static inline uint64_t words_load_64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Store a figure, without ordering. */
static inline void words_store_figure(uint64_t *figure, uint64_t value)
{
    __atomic_store_n(figure, value, __ATOMIC_RELAXED);
}

static inline uint64_t words_load_figure(const uint64_t *figure)
{
    return __atomic_load_n(figure, __ATOMIC_RELAXED);
}

static inline void words_count(uint32_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* Store a figure that is visible before the caller's later loads. */
static inline void words_settle_figure(uint64_t *figure, uint64_t value)
{
    if (words_are_alone()) {
        __atomic_store_n(figure, value, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        return;
    }
#if defined __x86_64__
    __atomic_exchange_n(figure, value, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(figure, value, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
