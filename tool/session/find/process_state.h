/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_state.h - what /proc/PID says of a process
 */
#ifndef TALLY_TOOL_SESSION_PROCESS_STATE_H
#define TALLY_TOOL_SESSION_PROCESS_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct process_state {
    char letter; /* R, S, T (stopped), Z ... */
    pid_t parent;
    uint64_t start_ticks; /* with the pid, names the process for ever */
    bool has_ended;       /* a zombie without living threads */
};

/* Returns 0, or -1 with errno set when there is no such process. */
int process_state_read(pid_t pid, struct process_state *state);

/*
 * Whether the process that began at `start_ticks` (0: not known) as `pid` is
 * alive still.
 */
bool process_is_alive(pid_t pid, uint64_t start_ticks);

/* Open /proc/PID/NAME to be read. -1 or NULL with errno. */
int process_open(pid_t pid, const char *name);
FILE *process_file(pid_t pid, const char *name);

/* The number behind `key`, "VmHWM:", in /proc/PID/status; else 0. */
uint64_t process_status_read(pid_t pid, const char *key, int base);

#endif /* TALLY_TOOL_SESSION_PROCESS_STATE_H */
