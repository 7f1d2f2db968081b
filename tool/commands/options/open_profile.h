/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profile.h - from what the user named to accounts
 *
 * A name is a file, "-" for standard input, or the pid of a live program; a
 * file whose name is a number is named as ./NUMBER.
 *
 * Each returns COMMAND_DONE, or COMMAND_USAGE after a complaint.
 */
#ifndef TALLY_TOOL_COMMANDS_OPEN_PROFILE_H
#define TALLY_TOOL_COMMANDS_OPEN_PROFILE_H

#include "tool/model/profile/profile.h"
#include "tool/model/sources/loaders.h"
#include "tool/session/images/live_ledger.h"

bool is_pid(const char *name);

/* Open it, for source_close() if that succeeds. */
int open_source(const char *name, struct source *source);

/* Add it to the profile, opened or not. */
int load_profile(const struct source *source, const char *name,
                 struct profile *profile);
int open_profile(const char *name, struct profile *profile);

/*
 * Add all other images of its recording: the files beside it or, of a process,
 * those that descend from it and run.
 */
int open_others(const char *name, struct profile *profile);
int open_below(const struct live_ledger *ledger, struct profile *profile);

#endif /* TALLY_TOOL_COMMANDS_OPEN_PROFILE_H */
