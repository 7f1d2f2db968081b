/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_wait.h - waiting for the program, and doing as it does
 *
 * When the program stops, so do we, by the same signal. When one is continued,
 * so is the other. When it ends, program_end_alike() ends us in its way.
 */
#ifndef TALLY_TOOL_LAUNCH_PROGRAM_WAIT_H
#define TALLY_TOOL_LAUNCH_PROGRAM_WAIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tool/launch/signal_relay.h"

/* Called now and then while the program runs; returns ms until the next
   call. */
typedef int (*program_wait_poll_fn)(void *context);

/* Returns the status of the ended program, as waitpid() gives it. */
int program_wait(pid_t program, struct signal_relay *relay,
                 program_wait_poll_fn poll, void *context);

/* Stop by `number`, and go on; false when the system ignored it. */
bool program_wait_stop_by(int number, const struct signal_relay *relay);

/*
 * The exit status to end with. A program that a signal killed is followed at
 * once: this does not return then.
 */
int program_end_alike(int status);

#endif /* TALLY_TOOL_LAUNCH_PROGRAM_WAIT_H */
