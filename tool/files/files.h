/* SPDX-License-Identifier: Apache-2.0 */
/* files.h - files that are read and replaced */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Open files whose names or content are not trusted
 *
 * A name that lies in a ledger, a trace or another program's environment may
 * lead anywhere: opening a device can have effects, and opening a named pipe
 * can block for ever. So all files that are named by data are opened here.
 */

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

/* Have such calls return the result of a function, which gets the path and the
   descriptor, or -1; NULL: of none. */
typedef int regular_file_replace_fn(const char *path, int file);
void regular_file_replace(regular_file_replace_fn *replace);

/*
 * Make room for a command's output: remove former output, and
 * check that the folder takes files
 */

/*
 * Remove `path`: a file, or a folder that holds only files with Tally's names
 * of traces and process ledgers. Refuse a folder with anything else
 * (ENOTEMPTY), links and devices (EMEDIUMTYPE), and the file `read` (EBUSY),
 * which may be NULL. Return 0, also if nothing was there, or -1 with errno.
 */
int former_output_remove(const char *path, const char *read);

/* Return 0 if former_output_remove() would remove `path`, or find nothing; -1
   with its errno if it would refuse. */
int former_output_may_go(const char *path, const char *read);

/* Return -1 with EBUSY if `path` is the file `read`, else 0. */
int former_output_check(const char *path, const char *read);

/*
 * Check that a file can be made in the folder of `path`, or in `path` if it
 * ends in a slash, by making and removing one: permission bits say nothing for
 * root or for a removed folder. Return 0, or -1 with errno, also where the name
 * is too long.
 */
int output_try(const char *path);

/* Return the text of errno for an output. */
const char *former_output_error(void);
