/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.h - state of the allocation trace, shared by copies of the library
 *
 * A process may contain several copies of this library, and the recorder; they
 * share one state, mem_trace(). An allocator does
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
    mbed_mem_trace_cb_t reserve; /* callback that enable() restores; never
                                    cleared */
    uint32_t *lock;              /* 0 when a process begins */
#if TALLY_HAS(OS)
    struct tally_thread *(*thread)(void);
    void (*changed)(
        void); /* called when the callback was set or removed; or NULL */
#endif
    int descriptor; /* of the default callback */
};

/* Known at compile time, to save code and time: firmware has one copy, and the
   recorder's copy is the shared one. */
#if TALLY_HAS(OS) && !defined TALLY_RECORDER
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

/* Return true if tracing is on: one load and one branch. */
static inline bool mem_trace_is_on(void)
{
    return TALLY_CONFIG(CONFIG_MBED_MEM_TRACING_ENABLED) &&
           __builtin_expect(
               __atomic_load_n(&mem_trace()->current, __ATOMIC_RELAXED) != NULL,
               0);
}

/* Take the lock and return true if the thread's next operation emits an event;
   return false if it does not, although tracing is on. */
HIDDEN bool mem_trace_claim(void);
