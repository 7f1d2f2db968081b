/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - the guards of tally/port.h
 *
 * A guard is held with all signals blocked, so no handler can find it held by
 * the thread it interrupted.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>

#include "ports/posix/raw_calls.h"
#include "ports/posix/threads/fork_gate.h"
#include "tally/port.h"

enum guard { GUARD_FREE, GUARD_HELD, GUARD_WANTED };

uint64_t tally_port_guard(uint32_t *guard)
{
    uint32_t held = GUARD_FREE;
    uint64_t signals = 0;

    raw_block_signals(&signals);
    fork_gate_enter();
    if (__atomic_compare_exchange_n(guard, &held, GUARD_HELD, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return signals;
    while (__atomic_exchange_n(guard, GUARD_WANTED, __ATOMIC_ACQUIRE) !=
           GUARD_FREE)
        tally_port_wait(guard, GUARD_WANTED, TALLY_PORT_FOREVER);
    return signals;
}

void tally_port_unguard(uint32_t *guard, uint64_t kept)
{
    if (__atomic_exchange_n(guard, GUARD_FREE, __ATOMIC_RELEASE) ==
        GUARD_WANTED)
        tally_port_wake(guard);
    fork_gate_leave();
    raw_restore_signals(&kept);
}
