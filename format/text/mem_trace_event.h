/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_event.h - one call of an allocation function, independent of its
 * format
 *
 * Events from text have neither time nor thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order of MBED_MEM_TRACE_*. */
enum mem_trace_op {
    MEM_TRACE_MALLOC,
    MEM_TRACE_REALLOC,
    MEM_TRACE_CALLOC,
    MEM_TRACE_FREE,
    MEM_TRACE_OP_COUNT,
    /* Not a call; with sampling only: a small block outlived an epoch of its
       thread. */
    MEM_TRACE_PROMOTE = 6,
    /* Not a call; with sampling only: a frame of the next allocation, outermost
       first. `caller` 0: the frames further out are unknown. */
    MEM_TRACE_FRAME = 7,
};

/* Largest number of frames of an allocation. */
enum { MEM_TRACE_DEEPEST = 2000 };

struct mem_trace_event {
    uint64_t time_ns; /* since the zero of the writer's clock; 0 without a
                         time */
    uint64_t result;  /* result of the call; 0 for a failure and for a free */
    uint64_t caller;  /* return address of the call */
    uint64_t pointer; /* old block of a realloc; block that is freed or
                         promoted */
    uint64_t count;  /* elements of a calloc; frames left in the stack, this one
                        included; else 0 */
    uint64_t size;   /* bytes; of one element for a calloc; 0 for a free */
    uint32_t thread; /* 0: unknown */
    uint8_t op;      /* enum mem_trace_op */
    bool has_time;
};

/* Return true for calls, which are counted even if lost; false for events that
   accompany a call. */
static inline bool mem_trace_is_call(const struct mem_trace_event *event)
{
    return event->op < MEM_TRACE_OP_COUNT;
}
