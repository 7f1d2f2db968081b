/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_name.h - which session a process was started in, as its environment says
 *
 *     TALLY_SESSION=/proc/PID/fd/N:NONCE
 *
 * The environment is the process's own: a path of its choice is none of ours.
 */
#ifndef TALLY_TOOL_SESSION_SESSION_NAME_H
#define TALLY_TOOL_SESSION_SESSION_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct session_name {
    uint32_t pid; /* of the tally record that holds the session's file */
    uint32_t fd;  /* there */
    uint64_t nonce;
};

enum { SESSION_NAME_SIZE = 64 };

/* False, with `name` as it was: it is no such value. */
bool session_name_read(const char *value, struct session_name *name);

/* What is read. */
void session_name_write(const struct session_name *name,
                        char value[SESSION_NAME_SIZE]);

#endif /* TALLY_TOOL_SESSION_SESSION_NAME_H */
