/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regular_file.h - files whose names or content are not ours to trust
 *
 * A name that lies in a ledger, a trace or another program's environment may
 * lead anywhere: opening a device can have effects, and opening a named pipe
 * can block for ever. So all files that data names are opened here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Open `path`, of the folder `folder` or AT_FDCWD, as open() does, but nothing
 * else than a regular file on disk or in memory is ever opened. -1 with errno
 * set; EMEDIUMTYPE: it is none, or with O_NOFOLLOW a symbolic link.
 */
int regular_file_open(int folder, const char *path, int flags);

/* What to print of errno after that. */
const char *regular_file_error(void);

/* Read all of it, or -1 with errno set; EIO: it ends before. */
int regular_file_read(int fd, void *to, size_t size, uint64_t from);

/*
 * The same into memory that is zero already: what lies in holes or behind the
 * end takes no memory. What is read is taken from `left`; once that is not
 * enough, the rest stays zero.
 */
int regular_file_read_data(int fd, void *to, size_t size, uint64_t from,
                           uint64_t *left);

/*
 * For libraries that open files by names out of other files (.gnu_debuglink,
 * split DWARF): from true to false, open() in this thread is
 * regular_file_open(). It nests.
 */
void regular_file_only(_Bool is_on);
