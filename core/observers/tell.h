/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell.h - tell tally/mem_trace.h of what slabs, heaps and tags hand out
 *
 * What gives blocks back, or never waits, is done under the lock of the trace:
 *
 *     if (tell_begins()) {
 *         k_mem_slab_free(slab, mem);              nothing more begins in here
 *         tell_free(mem, TELL_CALLER);
 *         return;
 *     }
 *
 * so that a block's free is reported before its next allocation. A call that
 * may wait for other threads is reported when it is done:
 *
 *     if (tell_begins())
 *         tell_malloc(mem, size, TELL_CALLER);
 */
#pragma once

#include "core/observers/mem_trace.h"

#define TELL_CALLER __builtin_return_address(0)

#if __STDC_HOSTED__
#define TELL_IS_LINKED true
#else
/* A firmware that sets no callback does without all of it. */
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

/* Whether the caller's operation is an event; the lock is taken then. */
static inline bool tell_begins(void)
{
    return tell_is_on() && mem_trace_claim();
}
