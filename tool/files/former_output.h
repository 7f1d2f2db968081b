/* SPDX-License-Identifier: Apache-2.0 */
/*
 * former_output.h - what a command wrote before, out of the way of what it
 * writes now
 */
#pragma once

/*
 * Remove `path`: a file, or a folder with nothing in it but what Tally gives
 * such names: traces and ledgers of processes. Nothing is removed of a folder
 * with anything else (ENOTEMPTY), of links and devices (EMEDIUMTYPE), or of the
 * file `read` (EBUSY); NULL: there is none. 0, also if there was nothing, or -1
 * with errno.
 */
int former_output_remove(const char *path, const char *read);

/* Whether it would be removed. */
int former_output_may_go(const char *path, const char *read);

/* Whether `path` is the file `read`: 0, or -1 with EBUSY. */
int former_output_check(const char *path, const char *read);

/* What errno says of an output. */
const char *former_output_error(void);
