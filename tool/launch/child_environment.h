/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child_environment.h - the program's environment: ours, and two variables
 *
 * LD_PRELOAD begins with the recorder and keeps what it held; TALLY_SESSION
 * names the session. All other variables, and their order, stay.
 */
#ifndef TALLY_TOOL_LAUNCH_CHILD_ENVIRONMENT_H
#define TALLY_TOOL_LAUNCH_CHILD_ENVIRONMENT_H

#include "tool/session/session_failure.h"

/*
 * NULL-terminated, to be kept until execve(); NULL on failure. `program` is
 * the path that will be run.
 */
char **child_environment_create(char *const *environment, const char *recorder,
                                const char *session, const char *program,
                                struct session_failure *failure);
void child_environment_destroy(char **environment);

#endif /* TALLY_TOOL_LAUNCH_CHILD_ENVIRONMENT_H */
