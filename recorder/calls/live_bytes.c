/* SPDX-License-Identifier: Apache-2.0 */
/* live_bytes.c - an observer: what the process holds; see live_bytes.h */
#include "recorder/calls/live_bytes.h"

#include "recorder/calls/observer.h"

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

bool observe_live_bytes_is_on(void)
{
    return limits_live_is_counted();
}

bool observe_live_bytes_begin(const struct mem_trace_event *call, int64_t *kept)
{
    *kept = live_bytes_of(pointer_of(call->pointer));
    return true;
}

/* A realloc that fails leaves the old block; one to nothing is free. */
void observe_live_bytes_end(const struct mem_trace_event *call, int64_t kept)
{
    if (call == NULL || (call->result == 0 && call->size != 0))
        return;
    live_bytes_add(live_bytes_of(pointer_of(call->result)) - kept);
}
