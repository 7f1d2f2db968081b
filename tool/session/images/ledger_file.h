/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.h - a ledger, given to a file: whole or not at all, and nothing
 * overwritten
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include <stdbool.h>

#include "tool/session/find/ledger_snapshot.h"

/* The folder part of `path`, "." for none. */
void ledger_file_folder(const char *path, char folder[PATH_MAX]);

/* FOLDER/PROGRAM.PID.tally; `folder` is "" or ends with a slash. */
void ledger_file_name(const char *folder, const char *program, pid_t pid,
                      char path[PATH_MAX]);

/* With a number behind it if that file or the folder NAME.d exists. */
void ledger_file_choose(char path[PATH_MAX]);

/*
 * Write the snapshot to `path`.`number`, where 0 is none, or with the first
 * number above it that is free, or to `path` in place of a former output; the
 * name taken is stored in `written`. It is
 * written under a temporary name in its own folder and then given its name by a
 * step that fails if the name exists. Returns 0, or -1 with errno set and
 * nothing left behind.
 */
enum { LEDGER_FILE_REPLACES = -1 };

int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      int number, char written[PATH_MAX]);

/*
 * Into a file that holds nothing but zeros, in few parts; `is_direct`: past
 * what the kernel keeps of files in memory where it can be. 0, or -1 with errno
 * set.
 */
int ledger_file_fill(const struct ledger_snapshot *snapshot, int fd,
                     bool is_direct);

/* All of it to a descriptor, which may be a pipe. 0, or -1 with errno set. */
int ledger_file_send(const struct ledger_snapshot *snapshot, int fd);
