/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_end.c - a function to call when a thread ends
 *
 * By a key of pthread's, made at the first request. Destructors of
 * other keys may allocate and free; they come in rounds, as long as there are
 * values, and ours waits for the last but one: in the last the sanitizers' end,
 * and code that they watch may not run any more.
 *
 * pthread_setspecific allocates when the program has many keys already: callers
 * must allow for that.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/port.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void (*leave_thread)(void);
static int has_key;

/* The value counts the rounds, from 1. */
static void end(void *value)
{
    uintptr_t round = (uintptr_t)value;

    if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
        pthread_setspecific(key, (void *)(round + 1)) == 0)
        return;
    __atomic_load_n(&leave_thread, __ATOMIC_ACQUIRE)();
}

static void make_key(void)
{
    has_key = pthread_key_create(&key, end) == 0;
}

void tally_port_at_thread_end(void (*leave)(void))
{
    __atomic_store_n(&leave_thread, leave, __ATOMIC_RELEASE);
    pthread_once(&once, make_key);
    if (has_key)
        pthread_setspecific(key, (void *)1);
}
