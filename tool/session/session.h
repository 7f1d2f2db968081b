/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - clocks, CPUs and failures, for all rooms */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/*
 * Read a clock of the system
 */

/* Return the time of a clock in nanoseconds; 0 if the system has no such
   clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = { 0, 0 };

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Raise *longest to the time since `begin`, in nanoseconds of CLOCK_MONOTONIC,
   if that is longer. */
static inline void clock_keep_longest(uint64_t *longest, uint64_t begin)
{
    uint64_t passed = clock_ns(CLOCK_MONOTONIC) - begin;

    if (passed > *longest)
        *longest = passed;
}

/*
 * The CPUs that a process may use now, in thousandths of a
 * CPU: by affinity, and by quotas of cgroups v1 and v2
 */

uint32_t cpu_capacity(pid_t pid);

/* Return the least quota of `group` and its parents, up to the mount point, or
   `most` if that is less. */
uint32_t cpu_capacity_of_group(const char *root, const char *group,
                               uint32_t most);

/*
 * A failure, in one line
 *
 * The line reads `WHAT: WHY; WHAT TO DO`. The command prints "tally: " before
 * it.
 */

struct session_failure {
    int status; /* exit status of the command; 0: the usual one for a failure */
    char text[1024];
};

/* Set the exit status for a program that cannot be started because of `error`,
   as env and timeout do: 127 if it is not found, 126 if it cannot be executed.
   Return -1. */
static inline int session_failure_of_start(struct session_failure *failure,
                                           int error)
{
    failure->status = error == ENOENT ? 127 : 126;
    return -1;
}

/* failures after which the work goes on */
struct session_failures {
    uint32_t count;
    struct session_failure first, later;
};

/* Return the slot for the next failure; the caller counts it. */
static inline struct session_failure *
session_failure_slot(struct session_failures *failures)
{
    return failures->count == 0 ? &failures->first : &failures->later;
}

/* name of the running command; replaces "record: " at the start of a line */
extern const char *session_command;

/* Set the line. Return -1 always, so that a failing path is one statement. */
__attribute__((format(printf, 2, 3))) int
session_fail(struct session_failure *failure, const char *format, ...);
