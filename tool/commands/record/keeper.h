/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - a process that holds the session's file, and outlives tally record
 *
 * Recorded processes reach the session by the keeper's number. So when tally
 * record is killed they, and what they run next, are recorded to their end, and
 * tally snapshot PID finds their ledgers. With a folder the keeper writes them
 * there when the last process has ended, and with a black box while they run,
 * when memory runs short or a copy is asked for. It is in a session of its own,
 * blocks all signals, and holds nothing open but that file.
 */
#pragma once

#include "tool/commands/record/record_parts.h"
#include "tool/launch/signal_relay.h"
#include "tool/session/images/blackbox.h"

struct keeper {
    struct companion companion;
    struct keeper_word *word; /* private: shared with the keeper; NULL: none */
};

/*
 * Start the keeper before the program. If the system has no process left for
 * it, the session is reached by the pid of tally record. `program_path` must
 * stay valid.
 */
void keeper_begin(struct keeper *keeper, const struct record_options *options,
                  const char *program_path, struct session_file *session);

/* Return the account of the black box's copies; NULL: no black box. */
const struct blackbox_account *keeper_copies(const struct keeper *keeper);

/* Ask the black box for a copy; return false if there is none. */
bool keeper_ask(const struct keeper *keeper);

/* Return the location for the program's pid, set before it runs; NULL without a
   keeper. */
pid_t *keeper_program(const struct keeper *keeper);

/* End the keeper, unless recorded processes run on. */
void keeper_end(struct keeper *keeper, bool is_needed);
