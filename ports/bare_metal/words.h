/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.h - words shared by the program and its interrupts
 *
 * See ports/posix/words.h. There is one thread, and interrupts are masked while
 * words change: a swap is a store.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/port.h"

static inline bool words_are_alone(void)
{
    return true;
}

static inline uint32_t words_enter(void)
{
    return tally_port_lock();
}

static inline void words_leave(uint32_t key)
{
    tally_port_unlock(key);
}

enum { WORDS_MAY_CHANGE = 0 };

static inline bool words_swap_64(uint64_t *word, const uint64_t *seen,
                                 uint64_t wanted, bool is_alone)
{
    (void)seen;
    (void)is_alone;
    *word = wanted;
    return true;
}

/* No other code reads the word until the caller writes it or returns the
   block. */
static inline bool words_clear_top(const uint32_t *word, uint32_t *rest,
                                   bool is_alone)
{
    (void)is_alone;
    *rest = *word & INT32_MAX;
    return *word > INT32_MAX;
}

static inline uint64_t words_load_64(const uint64_t *word)
{
    return *word;
}

static inline void words_store_figure(uint64_t *figure, uint64_t value)
{
    *figure = value;
}

static inline uint64_t words_load_figure(const uint64_t *figure)
{
    return *figure;
}

static inline void words_count(uint32_t *counter)
{
    ++*counter;
}

static inline void words_settle_figure(uint64_t *figure, uint64_t value)
{
    *figure = value;
}
