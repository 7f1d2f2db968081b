/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regular_file.h - open files whose names or content are not trusted
 *
 * A name that lies in a ledger, a trace or another program's environment may
 * lead anywhere: opening a device can have effects, and opening a named pipe
 * can block for ever. So all files that are named by data are opened here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Open `path`, relative to `folder` or AT_FDCWD, like open(), but only a
 * regular file on disk or in memory. Return -1 with errno; EMEDIUMTYPE: not a
 * regular file, or with O_NOFOLLOW a symbolic link.
 */
int regular_file_open(int folder, const char *path, int flags);

/* Return the text of errno after that. */
const char *regular_file_error(void);

/* Read the whole file; return -1 with errno on failure, EIO if it ends early.
   */
int regular_file_read(int fd, void *to, size_t size, uint64_t from);

/*
 * Read the file into zeroed memory, so that holes and the part behind the end
 * take no memory. Subtract the bytes that are read from `left`; once that is
 * exhausted, leave the rest zero.
 */
int regular_file_read_data(int fd, void *to, size_t size, uint64_t from,
                           uint64_t *left);

/*
 * Have open() in this thread be regular_file_open(), from true to false, for
 * libraries that open files named by other files (.gnu_debuglink, split DWARF).
 * Calls nest.
 */
void regular_file_only(_Bool is_on);
