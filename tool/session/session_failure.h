/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_failure.h - a failure, in one line
 *
 * The line reads `WHAT: WHY; WHAT TO DO`. The command prints "tally: " before
 * it.
 */
#pragma once

#include <errno.h>
#include <stdint.h>

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
