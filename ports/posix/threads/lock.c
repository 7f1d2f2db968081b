/* SPDX-License-Identifier: Apache-2.0 */
/* lock.c - the process-wide lock of tally/port.h, which a fork leaves free; guards too */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

#include "ports/posix/threads/fork_gate.h"
#include "tally/port.h"

static void (*told_in_child)(void);
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

uint32_t tally_port_lock(void)
{
    pthread_mutex_lock(&lock);
    fork_gate_has_lock(true);
    return 0;
}

void tally_port_unlock(uint32_t key)
{
    (void)key;
    fork_gate_has_lock(false);
    pthread_mutex_unlock(&lock);
}

void tally_port_on_fork(void (*in_child)(void))
{
    __atomic_store_n(&told_in_child, in_child, __ATOMIC_RELAXED);
}

/* The second time for threads that had the lock and passed the gate. */
static void before_fork(void)
{
    fork_gate_close();
    fork_gate_await();
    pthread_mutex_lock(&lock);
    fork_gate_await();
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
    fork_gate_open();
}

/* The child's thread has another number than the owner of the lock. */
static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    fork_gate_open_in_child();
    if (told_in_child != NULL)
        told_in_child();
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}
