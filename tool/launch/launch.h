/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - the program, started as if tally record were not there
 */
#ifndef TALLY_TOOL_LAUNCH_LAUNCH_H
#define TALLY_TOOL_LAUNCH_LAUNCH_H

#include <sys/resource.h>
#include <sys/types.h>

#include "tool/launch/signal_relay.h"
#include "tool/session/session_failure.h"

/*
 * The program's environment: ours, and two variables. LD_PRELOAD begins with
 * the recorder and keeps what it held; TALLY_SESSION names the session. All
 * other variables, and their order, stay. NULL-terminated, to be kept until
 * execve(); NULL on failure. `program` is the path that will be run.
 */
char **child_environment_create(char *const *environment, const char *recorder,
                                const char *session, const char *program,
                                struct session_failure *failure);
void child_environment_destroy(char **environment);

struct launch {
    const char *path;
    char **arguments; /* the program's argv */
    char **environment;
    struct rlimit file_size_limit; /* the program's own */
    struct signal_relay *relay;
};

/* The program's pid once it runs, or -1. */
pid_t launch_program(const struct launch *launch,
                     struct session_failure *failure);

#endif /* TALLY_TOOL_LAUNCH_LAUNCH_H */
