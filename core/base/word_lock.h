/* SPDX-License-Identifier: Apache-2.0 */
/*
 * word_lock.h - a lock of one word, 0 when free
 *
 * Hold it for a few instructions that change shared data. Threads wait by
 * tally/port.h. Not for signal handlers: a handler that interrupts the holder
 * would deadlock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tally/port.h"

enum { WORD_LOCK_FREE, WORD_LOCK_HELD, WORD_LOCK_WANTED };

static inline bool word_lock_try(uint32_t *lock)
{
    uint32_t state = WORD_LOCK_FREE;

    return __atomic_compare_exchange_n(lock, &state, WORD_LOCK_HELD, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void word_lock_take(uint32_t *lock)
{
    if (word_lock_try(lock))
        return;
    while (__atomic_exchange_n(lock, WORD_LOCK_WANTED, __ATOMIC_ACQUIRE) !=
           WORD_LOCK_FREE)
        tally_port_wait(lock, WORD_LOCK_WANTED, TALLY_PORT_FOREVER);
}

static inline void word_lock_give(uint32_t *lock)
{
    if (__atomic_exchange_n(lock, WORD_LOCK_FREE, __ATOMIC_RELEASE) ==
        WORD_LOCK_WANTED)
        tally_port_wake(lock);
}
