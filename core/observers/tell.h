/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell.h - report blocks of slabs, heaps and tags to tally/mem_trace.h
 *
 * Operations that free blocks, or never wait, run under the trace's lock:
 *
 *     if (tell_begins()) {
 *         k_mem_slab_free(slab, mem);      // nested calls emit no event
 *         tell_free(mem, TELL_CALLER);
 *         return;
 *     }
 *
 * so that a block's free is reported before its next allocation. A call that
 * may wait for other threads is reported when it has completed:
 *
 *     if (tell_begins())
 *         tell_malloc(mem, size, TELL_CALLER);
 */
#pragma once

#include "core/observers/mem_trace.h"

#define TELL_CALLER __builtin_return_address(0)

#if TALLY_HAS(OS)
#define TELL_IS_LINKED true
#else
/* Firmware that sets no callback links without this code. */
#pragma weak mem_trace_local
#pragma weak mem_trace_claim
#pragma weak mbed_mem_trace_malloc
#pragma weak mbed_mem_trace_realloc
#pragma weak mbed_mem_trace_calloc
#pragma weak mbed_mem_trace_free
#pragma weak mbed_mem_trace_unlock
#define TELL_IS_LINKED (&mem_trace_local != NULL)
#endif

#include "tally/private/tell.h"

static inline bool tell_is_on(void)
{
    return TELL_IS_LINKED && mem_trace_is_on();
}

/* Take the lock and return true if the caller's operation emits an event. */
static inline bool tell_begins(void)
{
    return tell_is_on() && mem_trace_claim();
}
