/* SPDX-License-Identifier: Apache-2.0 */
/* fake_waiting.c - waiting by a clock that stands still until it is set */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tally/port.h"
#include "tally/thread.h"
#include "tests/fakes/fake_port.h"

enum { PATIENCE_S = 60 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t guards = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint64_t now_ns;
static unsigned sleepers;
static bool callers_may_wait = true;

void fake_port_set_time_ns(uint64_t time_ns)
{
    pthread_mutex_lock(&mutex);
    __atomic_store_n(&now_ns, time_ns, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

uint64_t tally_port_time_ns(void)
{
    return __atomic_load_n(&now_ns, __ATOMIC_RELAXED);
}

void fake_port_set_may_wait(bool may_wait)
{
    callers_may_wait = may_wait;
}

bool tally_port_may_wait(void)
{
    return callers_may_wait;
}

/* One lock for all guards, which nest. */
uint64_t tally_port_guard(uint32_t *guard)
{
    pthread_mutex_lock(&guards);
    ++*guard;
    return *guard;
}

void tally_port_unguard(uint32_t *guard, uint64_t kept)
{
    if (kept != 1 || *guard != 1) {
        fprintf(stderr, "fake_port: a guard that was not taken\n");
        abort();
    }
    *guard = 0;
    pthread_mutex_unlock(&guards);
}

/* Wait until something changes; a test that hangs ends. */
static void await_change(void)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    if (pthread_cond_timedwait(&changed, &mutex, &end) != 0) {
        fprintf(stderr, "fake_port: nothing happened for a minute\n");
        abort();
    }
}

void tally_port_wait(const uint32_t *word, uint32_t value, uint64_t until_ns)
{
    pthread_mutex_lock(&mutex);
    sleepers++;
    pthread_cond_broadcast(&changed);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value &&
           tally_port_time_ns() < until_ns)
        await_change();
    sleepers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void tally_port_wake(const uint32_t *word)
{
    (void)word;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void **tally_port_thread_word(void)
{
    static _Thread_local void *word;

    return &word;
}

int *tally_port_errno(void)
{
    return &errno;
}

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;
static void (*leave_thread)(void);

static void end_thread(void *value)
{
    (void)value;
    __atomic_load_n(&leave_thread, __ATOMIC_RELAXED)();
}

static void make_end_key(void)
{
    pthread_key_create(&end_key, end_thread);
}

void tally_port_at_thread_end(void (*leave)(void))
{
    pthread_once(&end_once, make_end_key);
    __atomic_store_n(&leave_thread, leave, __ATOMIC_RELAXED);
    pthread_setspecific(end_key, (void *)1);
}

struct tally_thread *tally_port_thread(void)
{
    static _Thread_local struct tally_thread thread;

    return &thread;
}

void tally_port_on_fork(void (*in_child)(void))
{
    (void)in_child;
}

unsigned fake_port_sleepers(void)
{
    pthread_mutex_lock(&mutex);
    unsigned count = sleepers;
    pthread_mutex_unlock(&mutex);
    return count;
}

void fake_port_await_sleepers(unsigned count)
{
    pthread_mutex_lock(&mutex);
    while (sleepers != count)
        await_change();
    pthread_mutex_unlock(&mutex);
}
