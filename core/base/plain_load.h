/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_load.h - load an aligned word that another thread may be writing
 *
 * PLAIN_LOAD is an acquire load. On machines that order loads
 * (TALLY_ORDERED_LOADS) it is a plain load, which the compiler may fold into
 * the instruction that uses it; it never folds atomic loads. Use it only if
 * reading the value twice would do no harm.
 */
#pragma once

#ifdef TALLY_ORDERED_LOADS
#define PLAIN_LOAD(pointer) (*(pointer))
#else
#define PLAIN_LOAD(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#endif

/* Raise a shared word to at least `value`. Data stored before is visible to
   those who see the new value. */
#define WORD_RAISE(word, value)                                              \
    do {                                                                     \
        __typeof__(*(word)) wanted_ = (value);                               \
        __typeof__(*(word)) held_ = __atomic_load_n(word, __ATOMIC_RELAXED); \
                                                                             \
        while (held_ < wanted_ && !__atomic_compare_exchange_n(              \
                                      word, &held_, wanted_, false,          \
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))   \
            ;                                                                \
    } while (0)
