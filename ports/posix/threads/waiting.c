/* SPDX-License-Identifier: Apache-2.0 */
/*
 * waiting.c - let threads sleep, and call a function when a thread ends
 *
 * Threads sleep by futexes. The end of a thread is detected by a pthread key,
 * created at the first request. Destructors of other keys may allocate and
 * free; they run in rounds while there are values. Ours waits for the last
 * round but one: in the last round the sanitizers end, after which code under
 * their watch must not run.
 *
 * pthread_setspecific() allocates if the program has many keys: callers must
 * allow for that.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <time.h>

#include "ports/posix/memory/pages.h"
#include "ports/posix/raw_calls.h"
#include "tally/port.h"
#include "tally/thread.h"

enum { NS_PER_SECOND = 1000000000 };

bool tally_port_may_wait(void)
{
    return true;
}

void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns)
{
    struct timespec until = {
        .tv_sec = (time_t)(until_ns / NS_PER_SECOND),
        .tv_nsec = (long)(until_ns % NS_PER_SECOND),
    };

    raw_call(SYS_futex, RAW_ARGUMENT(word),
             FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, (long)value,
             until_ns == TALLY_PORT_FOREVER ? 0 : RAW_ARGUMENT(&until), 0,
             (long)FUTEX_BITSET_MATCH_ANY);
}

void tally_port_wake(const uint32_t *word)
{
    raw_call(SYS_futex, RAW_ARGUMENT(word), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1,
             0, 0, 0);
}

struct tally_thread *tally_port_thread(void)
{
    /* Aligned to 4, so that it takes no padding. */
    static _Thread_local struct tally_thread thread
        __attribute__((tls_model("initial-exec"), aligned(4)));

    return &thread;
}

/* Threads with a value of the key may end after the recorder has restarted. */
KEPT static pthread_key_t key;
KEPT static void (*leave_thread)(void);
KEPT static bool was_tried, has_key;

/* The value counts the rounds, from 1. */
static void end(void *value)
{
    uintptr_t round = (uintptr_t)value;

    if (round < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
        pthread_setspecific(key, (void *)(round + 1)) == 0)
        return;
    __atomic_load_n(&leave_thread, __ATOMIC_ACQUIRE)();
}

/* Two threads may each create a key: either will do. */
static void make_key(void)
{
    has_key = pthread_key_create(&key, end) == 0;
    __atomic_store_n(&was_tried, true, __ATOMIC_RELEASE);
}

void tally_port_at_thread_end(void (*leave)(void))
{
    __atomic_store_n(&leave_thread, leave, __ATOMIC_RELEASE);
    if (!__atomic_load_n(&was_tried, __ATOMIC_ACQUIRE))
        make_key();
    if (has_key)
        pthread_setspecific(key, (void *)1);
}
