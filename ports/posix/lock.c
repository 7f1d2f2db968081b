/* SPDX-License-Identifier: Apache-2.0 */
/* lock.c - the process-wide lock of tally/port.h, which a fork leaves free */
#define _GNU_SOURCE
#include <pthread.h>

#include "tally/port.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

uint32_t tally_port_lock(void)
{
    pthread_mutex_lock(&lock);
    return 0;
}

void tally_port_unlock(uint32_t key)
{
    (void)key;
    pthread_mutex_unlock(&lock);
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child's thread has another number than the owner of the lock. */
static void in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}
