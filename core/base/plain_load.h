/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_load.h - one aligned word that another thread may be writing
 *
 * An acquire load. Where the machine orders loads by itself, which the build
 * says with TALLY_ORDERED_LOADS, it is written as a plain one: the compiler may
 * fold that into the instruction that uses it, and never does so with an atomic
 * one. Only for a load whose value, were it read again, could not do harm.
 */
#pragma once

#ifdef TALLY_ORDERED_LOADS
#define PLAIN_LOAD(pointer) (*(pointer))
#else
#define PLAIN_LOAD(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#endif

/*
 * Make a word that others change too at least `value`; what it counts was
 * stored before.
 */
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
