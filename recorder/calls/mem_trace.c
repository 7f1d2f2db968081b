/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.c - an observer: the program's callback of tally/mem_trace.h
 *
 * The callback is called after the operation, under its lock, which keeps out
 * other threads' operations meanwhile.
 */
#include "core/observers/mem_trace.h"

#include "recorder/calls/mode.h"
#include "recorder/observer.h"
#include "tally/port.h"

/* The lock lies in a page that a fork wipes. */
struct mem_trace mem_trace_local = {
    .lock = &process.trace_lock,
    .thread = tally_port_thread,
    .changed = mode_choose,
    .descriptor = 1,
};

bool observe_mem_trace_is_on(void)
{
    return mem_trace_is_on();
}

bool observe_mem_trace_begin(const struct mem_trace_event *call, int64_t *kept)
{
    (void)call, (void)kept;
    return mem_trace_is_on() && mem_trace_claim();
}

void observe_mem_trace_end(const struct mem_trace_event *call, int64_t kept)
{
    uint8_t op = call != NULL ? call->op : MEM_TRACE_OP_COUNT;

    (void)kept;
    if (op == MEM_TRACE_MALLOC)
        mbed_mem_trace_malloc(observed_pointer(call->result), call->size,
                              observed_pointer(call->caller));
    else if (op == MEM_TRACE_FREE)
        mbed_mem_trace_free(observed_pointer(call->pointer),
                            observed_pointer(call->caller));
    else if (op == MEM_TRACE_REALLOC)
        mbed_mem_trace_realloc(observed_pointer(call->result),
                               observed_pointer(call->pointer), call->size,
                               observed_pointer(call->caller));
    else if (op == MEM_TRACE_CALLOC)
        mbed_mem_trace_calloc(observed_pointer(call->result), call->count,
                              call->size, observed_pointer(call->caller));
    mbed_mem_trace_unlock();
}
