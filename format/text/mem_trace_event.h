/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_event.h - one call of an allocation function, whatever form it came
 * in or goes out in
 *
 * Text says neither when nor in which thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* MBED_MEM_TRACE_* in their order. */
enum mem_trace_op {
    MEM_TRACE_MALLOC,
    MEM_TRACE_REALLOC,
    MEM_TRACE_CALLOC,
    MEM_TRACE_FREE,
    MEM_TRACE_OP_COUNT,
    /* No call: of samples, a small block has outlived an epoch of its
       thread. */
    MEM_TRACE_PROMOTE = 6,
    /* No call: of samples, a frame of the allocation that comes next, outermost
       first. `caller` 0: what is further out is not known. */
    MEM_TRACE_FRAME = 7,
};

/* Frames of an allocation, at most. */
enum { MEM_TRACE_DEEPEST = 2000 };

struct mem_trace_event {
    uint64_t time_ns; /* since the zero of the writer's clock; 0 without */
    uint64_t result; /* what the call returned: 0 if it failed, and of a free */
    uint64_t caller; /* where it was called */
    uint64_t pointer; /* the old block of a realloc, the one that is freed or
                         promoted */
    uint64_t count;  /* elements of a calloc; of a frame, how many are left with
                         it; else 0 */
    uint64_t size;   /* bytes, of a calloc those of one element; 0 of a free */
    uint32_t thread; /* 0 where it is not known */
    uint8_t op;      /* enum mem_trace_op */
    bool has_time;
};

/* What is counted, also when it is lost: not what goes with a call. */
static inline bool mem_trace_is_call(const struct mem_trace_event *event)
{
    return event->op < MEM_TRACE_OP_COUNT;
}
