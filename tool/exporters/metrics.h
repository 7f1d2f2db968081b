/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - metrics of programs, for Prometheus and other readers of
 * OpenMetrics
 *
 *     struct metrics metrics = { 0 };
 *
 *     metrics_take(&metrics, profile, names, 20); // for each program
 *     metrics_write(&metrics, METRICS_OPEN, out);
 *     metrics_free(&metrics);
 *
 * Series stay stable: a site is a function in a module, without line and
 * address, which change with each build. The largest sites have series of their
 * own, and all others share one, so that the number of series is bounded.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tool/model/names/names.h"
#include "tool/model/profile/profile.h"

/* Name, suffix of samples, type, unit and HELP. */
#define METRICS_LIST(X)                                                       \
    X(programs, "", gauge, , "Recorded programs that are running.")           \
    X(programs_left_out, "", gauge, ,                                         \
      "Least number of programs left out: their user has too many.")          \
    X(program, "_info", info, ,                                               \
      "Build of a program, and its accuracy: exact or estimates.")            \
    X(program_start_time_seconds, "", gauge, seconds,                         \
      "Start of the program, since 1970.")                                    \
    X(live_bytes, "", gauge, bytes, "Live bytes.")                            \
    X(live_blocks, "", gauge, blocks, "Live blocks.")                         \
    X(live_uncertainty_bytes, "", gauge, bytes,                               \
      "Half of the 95 % interval of an estimate; 0 if exact.")                \
    X(peak_bytes, "", gauge, bytes, "Peak of live bytes.")                    \
    X(allocated_bytes, "_total", counter, bytes, "Bytes allocated in total.") \
    X(allocated_blocks, "_total", counter, blocks,                            \
      "Blocks allocated in total.")                                           \
    X(freed_bytes, "_total", counter, bytes, "Bytes freed in total.")         \
    X(freed_blocks, "_total", counter, blocks, "Blocks freed in total.")      \
    X(resident_bytes, "", gauge, bytes,                                       \
      "Resident bytes at the last reading of tally record, by use; tally is " \
      "the recorder's own part.")                                             \
    X(sampling_cpu_seconds, "_total", counter, seconds,                       \
      "CPU time of sampling, with a budget (--overhead).")                    \
    X(sampling_capacity_seconds, "_total", counter, seconds,                  \
      "CPU time available, of which the budget is a share.")                  \
    X(losses, "_total", counter, , "Events lost or not recorded.")            \
    X(site_live_bytes, "", gauge, bytes,                                      \
      "Live bytes of the largest sites, and of all others.")                  \
    X(site_live_blocks, "", gauge, blocks,                                    \
      "Blocks of the sites, as for bytes.")                                   \
    X(site_allocated_bytes, "_total", counter, bytes,                         \
      "Bytes allocated in total by the largest sites.")                       \
    X(site_allocated_blocks, "_total", counter, blocks,                       \
      "Blocks of the sites, as for bytes.")                                   \
    X(serve_cpu_seconds, "_total", counter, seconds,                          \
      "CPU time of tally serve itself.")

enum metrics_family {
#define METRICS_FAMILY(name, ...) METRICS_##name,
    METRICS_LIST(METRICS_FAMILY)
#undef METRICS_FAMILY
        METRICS_FAMILIES
};

/* Metrics; starts as { 0 }, members are private. */
struct metrics {
    struct metrics_sample {
        enum metrics_family family;
        char *labels;
        double value;
    } * samples;
    size_t count;
};

/* Add a figure; the labels are valid between braces. */
void metrics_add(struct metrics *metrics, enum metrics_family family,
                 const char *labels, double value);

/* Add a program's finished profile, whose sites are charged to callers, with
   its `top` largest sites. */
void metrics_take(struct metrics *metrics, const struct profile *profile,
                  const struct site_names *names, size_t top);

enum metrics_form {
    METRICS_PROMETHEUS, /* text 0.0.4 */
    METRICS_OPEN,       /* OpenMetrics 1.0 */
};

const char *metrics_type(enum metrics_form form);

/* Write all metrics. Write errors stay in the FILE. */
void metrics_write(const struct metrics *metrics, enum metrics_form form,
                   FILE *out);

void metrics_free(struct metrics *metrics);
