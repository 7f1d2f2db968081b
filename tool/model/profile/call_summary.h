/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_summary.h - what is known of a trace that was read, and what one of
 * calls tells besides the accounts of its sites
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"

/* What is known of what was read, and what of it is no event. */
struct trace_counts {
    uint64_t bytes;
    uint64_t events;
    uint64_t calls;  /* of these, calls of allocation functions */
    uint64_t others; /* beside these, and not of memory */
    bool has_calls;  /* the metadata says so, even if there was none */
    bool
        is_blank; /* there is no byte at all, which may be a text of no calls */
    struct skips skipped; /* in pieces, or lines of text */
    uint64_t lost_packets;
    bool is_mixed; /* CTF of several layouts, or events as text with it */
    uint64_t cut_packets; /* of which the stream has the beginning alone */
    uint64_t missing;     /* events of packets that are missing or damaged */
    uint64_t discarded;   /* events that the writer says it lost */
    uint64_t sample_interval; /* of text that says so: trace_names.h; or 0 */
    uint64_t profiler_us;     /* what the writer says it took */
};

/* Whether it is a trace, be it of no call. */
static inline bool trace_counts_are_of_trace(const struct trace_counts *counts)
{
    return counts->events > 0 || (counts->has_calls && counts->bytes == 0);
}

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
    uint64_t temporary;
    uint64_t sample_interval; /* only sampled blocks are in it; 0: all are */
    bool knows_files;         /* all that the program had loaded */
    uint64_t odd_sizes;       /* results for more bytes than there can be */
    struct trace_counts counts;
    struct call_failure *failures; /* the most frequent first */
    size_t failure_count;
};
