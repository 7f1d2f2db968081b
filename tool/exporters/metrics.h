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

#include "tool/model/names/site_names.h"
#include "tool/model/profile/profile.h"

/* Name, suffix of samples, type, unit and HELP. */
#define METRICS_LIST(X)                                                        \
    X(programs, "", gauge, , "Recorded programs that run.")                    \
    X(programs_left_out, "", gauge, ,                                          \
      "Programs not among these, at least: their user has too many.")          \
    X(program, "_info", info, ,                                                \
      "The build of a program; its accounts are exact, or estimates.")         \
    X(program_start_time_seconds, "", gauge, seconds,                          \
      "When the program began, since 1970.")                                   \
    X(live_bytes, "", gauge, bytes, "What is allocated now.")                  \
    X(live_blocks, "", gauge, blocks, "Blocks that are allocated now.")        \
    X(live_uncertainty_bytes, "", gauge, bytes,                                \
      "Half the interval of 95 % of an estimate; 0 where it is exact.")        \
    X(peak_bytes, "", gauge, bytes,                                            \
      "The most that was allocated at one time.")                              \
    X(allocated_bytes, "_total", counter, bytes, "What was ever allocated.")   \
    X(allocated_blocks, "_total", counter, blocks,                             \
      "Blocks that were ever allocated.")                                      \
    X(freed_bytes, "_total", counter, bytes, "What was ever freed.")           \
    X(freed_blocks, "_total", counter, blocks, "Blocks that were ever freed.") \
    X(resident_bytes, "", gauge, bytes,                                        \
      "What lay in memory when tally record last looked, by use; the part "    \
      "tally is the recorder's own.")                                          \
    X(sampling_cpu_seconds, "_total", counter, seconds,                        \
      "What samples and calls between them cost, of a budget (--overhead).")   \
    X(sampling_capacity_seconds, "_total", counter, seconds,                   \
      "The processors' time that such a budget is a share of.")                \
    X(losses, "_total", counter, ,                                             \
      "What could not be recorded, or was seen and is in no account.")         \
    X(site_live_bytes, "", gauge, bytes,                                       \
      "What the sites that hold most hold now, and all others.")               \
    X(site_live_blocks, "", gauge, blocks, "Likewise, blocks.")                \
    X(site_allocated_bytes, "_total", counter, bytes,                          \
      "What the sites that hold most ever allocated.")                         \
    X(site_allocated_blocks, "_total", counter, blocks, "Likewise, blocks.")   \
    X(serve_cpu_seconds, "_total", counter, seconds,                           \
      "Processor time of tally serve itself.")

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
