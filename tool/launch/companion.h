/* SPDX-License-Identifier: Apache-2.0 */
/*
 * companion.h - a process that helps us watch, and stays out of the way
 *
 * It is not our child, so that a search for the program among our children
 * finds the program alone. It holds one descriptor, a pipe whose other end is
 * ours: when we end, however we end, it reads the end of the pipe and ends too.
 */
#ifndef TALLY_TOOL_LAUNCH_COMPANION_H
#define TALLY_TOOL_LAUNCH_COMPANION_H

#include <sys/types.h>

struct companion {
    pid_t pid;    /* -1: there is none */
    int lifeline; /* our end of the pipe */
};

/*
 * Called in the companion, with all signals blocked; returns when it may end.
 * read() from `lifeline` returns 0 when we have ended it.
 */
typedef void (*companion_fn)(int lifeline, pid_t program);

/* Without one (pid -1) when the system has no process left for us. */
struct companion companion_start(companion_fn run, pid_t program);

/* Returns once it is gone. */
void companion_end(struct companion *companion);

#endif /* TALLY_TOOL_LAUNCH_COMPANION_H */
