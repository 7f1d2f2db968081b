/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.h - a process that holds the session's file, and outlives us
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
    struct keeper_word *word; /* private: shared with it; NULL: there is none */
};

/*
 * Start it, before the program; without one (a system has no process left for
 * us) the session is reached by our own number. `program_path` stays.
 */
void keeper_begin(struct keeper *keeper, const struct record_options *options,
                  const char *program_path, struct session_file *session);

/* What its black box has on disk; NULL: there is none. */
const struct blackbox_account *keeper_copies(const struct keeper *keeper);

/* Have its black box make a copy soon. False: it has none. */
bool keeper_ask(const struct keeper *keeper);

/* Where the program's pid goes before it runs; NULL without a keeper. */
pid_t *keeper_program(const struct keeper *keeper);

/* We end: it ends too, unless processes that are recorded run on. */
void keeper_end(struct keeper *keeper, bool is_needed);
