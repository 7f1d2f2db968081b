/* SPDX-License-Identifier: Apache-2.0 */
/* fork_gate.c - the threads inside, in counters that they seldom share */
#define _GNU_SOURCE
#include "ports/posix/threads/fork_gate.h"

#include <linux/futex.h>
#include <stdalign.h>
#include <stdint.h>
#include <time.h>

#include "ports/posix/raw_calls.h"
#include "tally/port.h"

enum { STRIPES = 16, STRIPE_BITS = 4, CACHE_LINE = 64 };
enum { PATIENCE_NS = 1000000000, PAUSE_NS = 20000 };

static struct {
    alignas(CACHE_LINE) uint32_t inside;
} stripes[STRIPES];

static uint32_t closers; /* threads that fork; 0: the gate is open */

static _Thread_local struct {
    uint32_t inside;
    uint32_t has_lock;
} mine __attribute__((tls_model("initial-exec")));

static uint32_t *stripe_of_mine(void)
{
    uint64_t mixed = (uintptr_t)&mine * UINT64_C(0x9e3779b97f4a7c15);

    return &stripes[mixed >> (64 - STRIPE_BITS)].inside;
}

void fork_gate_enter(void)
{
    uint32_t *inside = stripe_of_mine();
    uint32_t seen;

    __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    while (mine.inside == 0 && mine.has_lock == 0 &&
           (seen = __atomic_load_n(&closers, __ATOMIC_SEQ_CST)) != 0) {
        __atomic_fetch_sub(inside, 1, __ATOMIC_SEQ_CST);
        raw_call(SYS_futex, RAW_ARGUMENT(&closers),
                 FUTEX_WAIT | FUTEX_PRIVATE_FLAG, (long)seen, 0, 0, 0);
        __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    }
    mine.inside++;
}

void fork_gate_leave(void)
{
    mine.inside--;
    __atomic_fetch_sub(stripe_of_mine(), 1, __ATOMIC_SEQ_CST);
}

void fork_gate_has_lock(bool has_lock)
{
    mine.has_lock += has_lock ? 1 : UINT32_MAX;
}

void fork_gate_close(void)
{
    __atomic_fetch_add(&closers, 1, __ATOMIC_SEQ_CST);
}

static uint32_t count_inside(void)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < STRIPES; i++)
        count += __atomic_load_n(&stripes[i].inside, __ATOMIC_SEQ_CST);
    return count;
}

void fork_gate_await(void)
{
    uint64_t end = tally_port_time_ns() + PATIENCE_NS;
    const struct timespec pause = { .tv_nsec = PAUSE_NS };

    while (count_inside() != mine.inside && tally_port_time_ns() < end)
        raw_call(SYS_nanosleep, RAW_ARGUMENT(&pause), 0, 0, 0, 0, 0);
}

void fork_gate_open(void)
{
    __atomic_fetch_sub(&closers, 1, __ATOMIC_SEQ_CST);
    raw_call(SYS_futex, RAW_ARGUMENT(&closers), FUTEX_WAKE | FUTEX_PRIVATE_FLAG,
             INT32_MAX, 0, 0, 0);
}

void fork_gate_open_in_child(void)
{
    for (unsigned i = 0; i < STRIPES; i++)
        __atomic_store_n(&stripes[i].inside, 0, __ATOMIC_RELAXED);
    __atomic_store_n(stripe_of_mine(), mine.inside, __ATOMIC_RELAXED);
    __atomic_store_n(&closers, 0, __ATOMIC_RELAXED);
}
