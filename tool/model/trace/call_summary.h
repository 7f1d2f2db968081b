/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_summary.h - what a trace of calls tells besides the accounts of its sites
 */
#ifndef TALLY_TOOL_MODEL_CALL_SUMMARY_H
#define TALLY_TOOL_MODEL_CALL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tool/model/trace/trace_stream.h"

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

#endif /* TALLY_TOOL_MODEL_CALL_SUMMARY_H */
