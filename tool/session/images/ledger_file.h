/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.h - a ledger, given to a file: whole or not at all, and nothing
 * overwritten
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "tool/session/find/ledger_snapshot.h"

/* The folder part of `path`, "." for none. */
void ledger_file_folder(const char *path, char folder[PATH_MAX]);

/*
 * PROGRAM.PID.tally in `folder`, which is "" or ends with a slash; with number
 * .N behind it, from `number` on if that is not 0, the first of which no file
 * and no folder NAME.d exists.
 */
void ledger_file_choose(const char *folder, const char *program, pid_t pid,
                        unsigned number, char path[PATH_MAX]);

/*
 * Write the snapshot to `path`, or to the first free one of path.1, path.2 and
 * so on; the name taken is stored in `written`. It is written under a temporary
 * name in its own folder and then given its name by a step that fails if the
 * name exists. Returns 0, or -1 with errno set and nothing left behind.
 */
int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      char written[PATH_MAX]);
