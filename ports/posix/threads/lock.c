/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock.c - guards and the process-wide lock of tally/port.h
 *
 * A guard is held for a few instructions with all signals blocked, so that no
 * handler interrupts its holder. A thread that forks closes a gate to all
 * guards and waits until no thread is inside; in the child, each guard is free
 * and its data consistent. Invariants:
 *
 *   I1  a thread that holds a guard, or the lock, passes a closed gate:
 *       otherwise threads that wait for it would deadlock
 *   I2  a thread that forks takes the lock after it closed the gate, since
 *       threads that hold a guard may take the lock
 *
 * The threads inside are counted in several words to avoid contention.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "format/invariant.h"
#include "ports/posix/raw_calls.h"
#include "tally/port.h"

enum { STRIPES = 16, STRIPE_BITS = 4, CACHE_LINE = 64 };
enum { PATIENCE_NS = 1000000000, PAUSE_NS = 20000 };

static struct {
    alignas(CACHE_LINE) uint32_t inside;
} stripes[STRIPES];

static uint32_t closers; /* forking threads; 0: the gate is open */

static _Thread_local struct {
    uint32_t inside;
    uint32_t has_lock;
} mine __attribute__((tls_model("initial-exec")));

static uint32_t *stripe_of_mine(void)
{
    uint64_t mixed = (uintptr_t)&mine * UINT64_C(0x9e3779b97f4a7c15);

    return &stripes[mixed >> (64 - STRIPE_BITS)].inside;
}

/* Enter the gate before a guard. Signals are blocked. */
static void gate_enter(void)
{
    uint32_t *inside = stripe_of_mine();
    uint32_t seen;

    __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    while (mine.inside == 0 && mine.has_lock == 0 &&
           (seen = __atomic_load_n(&closers, __ATOMIC_SEQ_CST)) != 0) {
        INVARIANT(I1, mine.inside == 0 && mine.has_lock == 0);
        __atomic_fetch_sub(inside, 1, __ATOMIC_SEQ_CST);
        tally_port_wait(&closers, seen, TALLY_PORT_FOREVER);
        __atomic_fetch_add(inside, 1, __ATOMIC_SEQ_CST);
    }
    mine.inside++;
}

static uint32_t count_inside(void)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < STRIPES; i++)
        count += __atomic_load_n(&stripes[i].inside, __ATOMIC_SEQ_CST);
    return count;
}

/* Wait until no other thread is inside, at most one second: a fault handler
   that sleeps there leaves its guard held in the child. */
static void gate_await(void)
{
    uint64_t end = tally_port_time_ns() + PATIENCE_NS;
    const struct timespec pause = { .tv_nsec = PAUSE_NS };

    while (count_inside() != mine.inside && tally_port_time_ns() < end)
        raw_call(SYS_nanosleep, RAW_ARGUMENT(&pause), 0, 0, 0, 0, 0);
}

static void gate_open_in_child(void)
{
    for (unsigned i = 0; i < STRIPES; i++)
        __atomic_store_n(&stripes[i].inside, 0, __ATOMIC_RELAXED);
    __atomic_store_n(stripe_of_mine(), mine.inside, __ATOMIC_RELAXED);
    __atomic_store_n(&closers, 0, __ATOMIC_RELAXED);
}

enum guard { GUARD_FREE, GUARD_HELD, GUARD_WANTED };

uint64_t tally_port_guard(uint32_t *guard)
{
    uint32_t held = GUARD_FREE;
    uint64_t signals = 0;

    raw_block_signals(&signals);
    gate_enter();
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
    mine.inside--;
    __atomic_fetch_sub(stripe_of_mine(), 1, __ATOMIC_SEQ_CST);
    raw_restore_signals(&kept);
}

static void (*told_in_child)(void);
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

uint32_t tally_port_lock(void)
{
    pthread_mutex_lock(&lock);
    mine.has_lock++;
    return 0;
}

void tally_port_unlock(uint32_t key)
{
    (void)key;
    mine.has_lock--;
    pthread_mutex_unlock(&lock);
}

void tally_port_on_fork(void (*in_child)(void))
{
    __atomic_store_n(&told_in_child, in_child, __ATOMIC_RELAXED);
}

/* Called twice: the second time for threads that held the lock and passed the
   gate. */
static void before_fork(void)
{
    __atomic_fetch_add(&closers, 1, __ATOMIC_SEQ_CST);
    gate_await();
    INVARIANT(I2, closers != 0);
    pthread_mutex_lock(&lock);
    gate_await();
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
    __atomic_fetch_sub(&closers, 1, __ATOMIC_SEQ_CST);
    raw_call(SYS_futex, RAW_ARGUMENT(&closers), FUTEX_WAKE | FUTEX_PRIVATE_FLAG,
             INT32_MAX, 0, 0, 0);
}

/* The child's thread id differs from that of the lock's owner. */
static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    gate_open_in_child();
    if (told_in_child != NULL)
        told_in_child();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}
