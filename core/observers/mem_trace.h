/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.h - the callback for allocations, in a form that may be shared
 *
 * A process may have several copies of this library, and the recorder; there is
 * one state, which all of them reach through mem_trace(). An allocator does
 *
 *     bool is_told = tally_mem_trace_enter();
 *     void *block = take(size);
 *
 *     if (is_told) {
 *         mbed_mem_trace_malloc(block, size, caller);
 *         mbed_mem_trace_unlock();
 *     }
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/hidden.h"
#include "tally/config.h"
#include "tally/mem_trace.h"
#include "tally/thread.h"

struct mem_trace {
    mbed_mem_trace_cb_t current; /* NULL: tracing is off */
    mbed_mem_trace_cb_t reserve; /* what enable() restores; never cleared */
    uint32_t *lock;              /* 0 whenever a process begins */
#if __STDC_HOSTED__
    struct tally_thread *(*thread)(void);
    void (*changed)(
        void); /* there may be a callback, or none, by now; or NULL */
#endif
    int descriptor; /* of the default callback */
};

/*
 * Firmware has one copy of everything, and the recorder's is the one that
 * others share: knowing that at compile time saves code and time.
 */
#if __STDC_HOSTED__ && !defined TALLY_RECORDER
enum { MEM_TRACE_IS_SHARED = 1 };
#else
enum { MEM_TRACE_IS_SHARED = 0 };
#endif

extern HIDDEN struct mem_trace mem_trace_local;
extern HIDDEN struct mem_trace *mem_trace_shared;

static inline struct mem_trace *mem_trace(void)
{
    return MEM_TRACE_IS_SHARED ? mem_trace_shared : &mem_trace_local;
}

/* One load and one branch while tracing is off. */
static inline bool mem_trace_is_on(void)
{
    return TALLY_CONFIG(CONFIG_MBED_MEM_TRACING_ENABLED) &&
           __builtin_expect(
               __atomic_load_n(&mem_trace()->current, __ATOMIC_RELAXED) != NULL,
               0);
}

/*
 * Take the lock, and return true, if what the thread does next is an event.
 * False: tracing is on, but this is no event.
 */
HIDDEN bool mem_trace_claim(void);
