/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_wait.h - `tally record --wait`: the program has ended, others of its tree
 * have not
 */
#ifndef TALLY_TOOL_COMMANDS_RECORD_WAIT_H
#define TALLY_TOOL_COMMANDS_RECORD_WAIT_H

#include <stdbool.h>

#include "tool/launch/signal_relay.h"
#include "tool/session/images/image_writer.h"

#define RECORD_WAIT_ALL UINT64_MAX

/* For a uint64_t of seconds: "all", "first", which is 0, or a number. */
int record_wait_take(const char *name, const char *value, void *field);

/*
 * Return when no process of the session is left, so many seconds have passed, or a
 * signal asks us to end. With `is_quiet` nothing is said of it.
 */
void record_wait(uint64_t seconds, struct image_writer *writer,
                 struct signal_relay *relay, bool is_quiet);

#endif /* TALLY_TOOL_COMMANDS_RECORD_WAIT_H */
