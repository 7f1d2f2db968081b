/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_start.c - find a second boot of a device in a log of calls
 *
 * After a reset firmware makes its first calls again, with equal results. A
 * loop at the start of a log repeats them too, but while its blocks are free;
 * only lost lines of frees make it look like a boot. So a repetition counts as
 * a boot if it returns addresses of live blocks, and is longer than every
 * repetition that did not.
 */
#include "tool/model/calls/calls.h"

static bool is_same(const struct mem_trace_event *a,
                    const struct mem_trace_event *b)
{
    return a->op == b->op && a->result == b->result && a->caller == b->caller &&
           a->pointer == b->pointer && a->count == b->count &&
           a->size == b->size;
}

unsigned call_start_add(struct call_start *start,
                        const struct mem_trace_event *event, bool was_live)
{
    if (start->again == CALL_START_EVENTS ||
        !is_same(event, &start->events[start->again])) {
        if (start->live == 0 && start->again > start->longest)
            start->longest = start->again;
        start->again = start->live = 0;
    }
    if (start->count > 0 && is_same(event, &start->events[start->again])) {
        start->again++;
        start->live += was_live;
    }
    if (start->count < CALL_START_EVENTS)
        start->events[start->count++] = *event;
    if (start->again < 2 || start->again <= start->longest ||
        start->live < (start->longest < 2 ? 1 : 2))
        return 0;
    return start->again;
}
