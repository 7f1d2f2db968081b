/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_events.h - calls of allocation functions, equal on every run
 *
 * Most look like a program's: blocks in a heap and in mappings, a few callers,
 * a few threads, steps of nanoseconds. Some are extreme: odd or distant
 * addresses, long pauses, sizes of 64 bits, failures.
 */
#pragma once

#include "format/text/mem_trace_text.h"
#include "tests/fakes/random_sequence.h"

static inline uint64_t random_address(struct random_sequence *sequence)
{
    static const uint64_t starts[] = {
        UINT64_C(0x55d0c0de0000),    UINT64_C(0x55d0c0de0000),
        UINT64_C(0x55d0c0de0000),    UINT64_C(0x7f00dead0000),
        UINT64_C(0x7f00dead0000),    UINT64_C(0x20000000),
        UINT64_C(0x7fffffff0000000),
    };
    uint64_t offset = random_below(sequence, 1 << 20) * UINT64_C(16);

    if (random_below(sequence, 100) == 0)
        return 0;
    if (random_below(sequence, 200) == 0)
        return random_next(sequence);
    return starts[random_below(sequence, sizeof starts / sizeof starts[0])] +
           offset;
}

static inline uint64_t random_size(struct random_sequence *sequence)
{
    if (random_below(sequence, 50) == 0)
        return random_next(sequence);
    return random_below(sequence, random_below(sequence, 20) == 0 ? 70000 : 99);
}

/* Return the event after `last`, of which only the time is used. */
static inline struct mem_trace_event
random_event(struct random_sequence *sequence,
             const struct mem_trace_event *last)
{
    uint32_t pause = random_below(sequence, 300);
    struct mem_trace_event event = {
        .time_ns = last->time_ns +
                   (pause == 0   ? random_next(sequence) >> 20
                    : pause == 1 ? (1 << 19) - 1 + random_below(sequence, 3)
                                 : random_below(sequence, 1000)),
        .caller = UINT64_C(0x401000) + random_below(sequence, 300) * 7,
        .thread = 1000 + random_below(sequence, 5),
        .op = (uint8_t)random_below(sequence, MEM_TRACE_OP_COUNT),
        .has_time = true,
    };

    if (event.op != MEM_TRACE_FREE) {
        event.result = random_address(sequence);
        event.size = random_size(sequence);
    }
    if (event.op == MEM_TRACE_FREE || event.op == MEM_TRACE_REALLOC)
        event.pointer = random_address(sequence);
    if (event.op == MEM_TRACE_REALLOC && random_below(sequence, 3) == 0)
        event.pointer = random_below(sequence, 2) == 0 ? event.result : 0;
    if (event.op == MEM_TRACE_CALLOC)
        event.count = random_size(sequence);
    return event;
}
