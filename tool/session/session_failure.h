/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_failure.h - why something could not be done, in one line
 *
 * The line reads `WHAT: WHY; WHAT TO DO`; the command that gets it prints it
 * behind "tally: ".
 */
#pragma once

#include <errno.h>
#include <stdint.h>

struct session_failure {
    int status; /* exit status of the command; 0: that of any failure */
    char text[1024];
};

/* Set the exit status for a program that cannot be started for this error, as
   env and timeout have it: 127 is not found, 126 not executable. Return -1. */
static inline int session_failure_of_start(struct session_failure *failure,
                                           int error)
{
    failure->status = error == ENOENT ? 127 : 126;
    return -1;
}

/* Several failures that do not end the work. */
struct session_failures {
    uint32_t count;
    struct session_failure first, later;
};

/* Return the slot for the line of the next failure; the caller counts it. */
static inline struct session_failure *
session_failure_slot(struct session_failures *failures)
{
    return failures->count == 0 ? &failures->first : &failures->later;
}

/* Name of the running command, which replaces "record: " at the begin of a
   line. */
extern const char *session_command;

/* Set the line; always -1, so that failing paths read as one statement. */
__attribute__((format(printf, 2, 3))) int
session_fail(struct session_failure *failure, const char *format, ...);
