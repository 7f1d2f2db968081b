/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.c - trace callbacks and their lock; tally/mem_trace.h has the rules
 *
 * Each thread counts its own locks; only its first lock and its last unlock
 * access the lock's word. The callback is read once for each event. Invariant:
 *
 *   I1  a thread's count is not 0 from before it takes the word until after it
 *       has released it, so that a signal handler never waits for its own
 *       thread
 */
#include "core/observers/mem_trace.h"

#include <stddef.h>

#include "core/base/word_lock.h"
#include "format/invariant.h"
#include "tally/port.h"

#ifndef TALLY_RECORDER
static uint32_t own_lock;

struct mem_trace mem_trace_local = {
    .lock = &own_lock,
#if TALLY_HAS(OS)
    .thread = tally_port_thread,
#endif
    .descriptor = 1,
};
#endif

struct mem_trace *mem_trace_shared = &mem_trace_local;

static inline struct tally_thread *self(void)
{
#if TALLY_HAS(OS)
    if (MEM_TRACE_IS_SHARED)
        return mem_trace()->thread();
#endif
    return tally_port_thread();
}

static inline uint32_t *lock_word(void)
{
    return mem_trace()->lock;
}

static inline uint32_t read_word(const uint16_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void report_change(void)
{
#if TALLY_HAS(OS)
    if (mem_trace()->changed != NULL)
        mem_trace()->changed();
#endif
}

void mbed_mem_trace_set_callback(mbed_mem_trace_cb_t cb)
{
    __atomic_store_n(&mem_trace()->current, cb, __ATOMIC_RELEASE);
    report_change();
}

void mbed_mem_trace_disable(void)
{
    mbed_mem_trace_cb_t cb;

    mbed_mem_trace_lock();
    cb = __atomic_exchange_n(&mem_trace()->current, NULL, __ATOMIC_ACQ_REL);
    if (cb != NULL)
        __atomic_store_n(&mem_trace()->reserve, cb, __ATOMIC_RELAXED);
    report_change();
    mbed_mem_trace_unlock();
}

void mbed_mem_trace_enable(void)
{
    mbed_mem_trace_cb_t none = NULL;
    mbed_mem_trace_cb_t reserve;

    mbed_mem_trace_lock();
    reserve = __atomic_load_n(&mem_trace()->reserve, __ATOMIC_RELAXED);
    if (reserve != NULL)
        __atomic_compare_exchange_n(&mem_trace()->current, &none, reserve,
                                    false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    report_change();
    mbed_mem_trace_unlock();
}

/* Keep I1 against compiler reordering; a handler runs on its thread's CPU. */
static inline void set_count(struct tally_thread *thread, uint32_t count)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&thread->trace_locks, (uint16_t)count, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void lock(struct tally_thread *thread)
{
    uint32_t count = read_word(&thread->trace_locks);

    set_count(thread, count + 1);
    if (count == 0)
        word_lock_take(lock_word());
    INVARIANT(I1, read_word(&thread->trace_locks) != 0);
}

void mbed_mem_trace_lock(void)
{
    lock(self());
}

void mbed_mem_trace_unlock(void)
{
    struct tally_thread *thread = self();
    uint32_t left = read_word(&thread->trace_locks) - 1;

    if ((int32_t)left < 0)
        return;
    if (left == 0)
        word_lock_give(lock_word());
    set_count(thread, left);
}

bool mem_trace_claim(void)
{
    struct tally_thread *thread = self();

    if (read_word(&thread->trace_locks) != 0 ||
        read_word(&thread->in_trace_callback) != 0)
        return false;
    lock(thread);
    return true;
}

bool tally_mem_trace_enter(void)
{
    return mem_trace_is_on() && mem_trace_claim();
}

/* Return the calling thread if `*cb` is to be called, else NULL. The thread
   counts as in the callback until its in_trace_callback is 0 again. */
static struct tally_thread *begin_telling(mbed_mem_trace_cb_t *cb)
{
    struct tally_thread *thread;

    *cb = __atomic_load_n(&mem_trace()->current, __ATOMIC_ACQUIRE);
    if (*cb == NULL)
        return NULL;
    thread = self();
    if (read_word(&thread->trace_locks) >= 2 ||
        read_word(&thread->in_trace_callback) != 0)
        return NULL;
    __atomic_store_n(&thread->in_trace_callback, 1, __ATOMIC_RELAXED);
    return thread;
}

#define TELL(op, ...)                                                      \
    mbed_mem_trace_cb_t cb;                                                \
    struct tally_thread *thread = begin_telling(&cb);                      \
                                                                           \
    if (thread != NULL) {                                                  \
        cb(op, __VA_ARGS__);                                               \
        __atomic_store_n(&thread->in_trace_callback, 0, __ATOMIC_RELAXED); \
    }

void *mbed_mem_trace_malloc(void *res, size_t size, void *caller)
{
    TELL(MBED_MEM_TRACE_MALLOC, res, caller, size)
    return res;
}

void *mbed_mem_trace_realloc(void *res, void *ptr, size_t size, void *caller)
{
    TELL(MBED_MEM_TRACE_REALLOC, res, caller, ptr, size)
    return res;
}

void *mbed_mem_trace_calloc(void *res, size_t num, size_t size, void *caller)
{
    TELL(MBED_MEM_TRACE_CALLOC, res, caller, num, size)
    return res;
}

void mbed_mem_trace_free(void *ptr, void *caller)
{
    TELL(MBED_MEM_TRACE_FREE, NULL, caller, ptr)
}
