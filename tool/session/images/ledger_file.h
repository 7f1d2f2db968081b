/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.h - ledgers on disk, whole or not at all, nothing overwritten
 */
#ifndef TALLY_TOOL_SESSION_LEDGER_FILE_H
#define TALLY_TOOL_SESSION_LEDGER_FILE_H

#include <limits.h>

#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/session_failure.h"

/*
 * Before the program runs: whether a file of this name, and a folder NAME.d,
 * could be made. `must_be_new`: neither may exist yet.
 */
int ledger_file_check_place(const char *path, int must_be_new,
                            struct session_failure *failure);

/*
 * Write the snapshot to `path`, or to the first free one of path.1, path.2 and
 * so on; the name taken is stored in `written`.
 */
int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      char written[PATH_MAX], struct session_failure *failure);

#endif /* TALLY_TOOL_SESSION_LEDGER_FILE_H */
