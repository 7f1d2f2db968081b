/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_summary.h - what was read of a trace, what is missing, and the facts of
 * its calls that belong to no call site
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"

/*
 * X(member in JSON, sentence behind its count): events and packets that are not
 * in the trace. To add a loss, add a row, and count it in trace_stream.c.
 */
#define TRACE_LOSS_LIST(X)                          \
    X(missing_packets, "packet[ is|s are] missing") \
    X(cut_packets, "packet[ is|s are] cut off")     \
    X(missing_events, "event[ is|s are] missing")   \
    X(discarded_events, "event[|s] lost by the program")

enum trace_loss {
#define TRACE_LOSS_NUMBER(name, sentence) TRACE_LOSS_##name,
    TRACE_LOSS_LIST(TRACE_LOSS_NUMBER)
#undef TRACE_LOSS_NUMBER
        TRACE_LOSS_COUNT
};

struct trace_counts {
    uint64_t bytes;
    uint64_t events;
    uint64_t calls;  /* events that are calls of allocation functions */
    uint64_t others; /* further events, which are not of memory */
    bool has_calls;  /* the metadata describes calls, even if there is none */
    bool is_blank;   /* no byte at all, as in a text of no calls */
    bool is_mixed;   /* CTF of several layouts, or events as text with it */
    struct skips skipped; /* in pieces, or lines of text */
    uint64_t losses[TRACE_LOSS_COUNT];
    uint64_t sample_interval; /* bytes, in text that says so; or 0 */
    uint64_t profiler_us; /* time that the profiler took, by its own account */
};

/* Return true if it is a trace, even of no call. */
static inline bool trace_counts_are_of_trace(const struct trace_counts *counts)
{
    return counts->events > 0 || (counts->has_calls && counts->bytes == 0);
}

/* Return true if anything was skipped or lost. */
bool trace_counts_are_lossy(const struct trace_counts *counts);

enum { TRACE_LOSSES_SIZE = 256 };

/*
 * Write "skipped 37 bytes in 2 places, the first at byte 40; 3 events lost by
 * the program", or "" if nothing is missing.
 */
const char *trace_losses(char out[TRACE_LOSSES_SIZE],
                         const struct trace_counts *counts);

/* Requests of one site that failed. */
struct call_failure {
    uint32_t site; /* index in the profile */
    uint64_t count;
    uint64_t largest; /* bytes */
};

/* Places are times in nanoseconds or, without has_times, numbers of calls. */
struct call_summary {
    uint64_t events;
    bool has_times;
    uint64_t first, last; /* places */
    uint64_t peak_bytes;
    uint64_t peak_place;
    uint64_t temporary;       /* blocks */
    uint64_t sample_interval; /* bytes between samples; 0: all blocks are in */
    bool knows_files;         /* all files that the program had loaded */
    uint64_t earlier_boots;   /* their calls are left out */
    uint64_t odd_sizes; /* results for more bytes than there can be, left out */
    struct trace_counts counts;
    struct call_failure *failures; /* the most frequent first */
    size_t failure_count;
};
