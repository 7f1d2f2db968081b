/* SPDX-License-Identifier: Apache-2.0 */
/*
 * former_output.h - room for what a command writes: what it wrote before out of
 * the way, and a folder that takes files
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

/*
 * Make a file in the folder of `path`, in it if it is FOLDER/, and remove it:
 * permission bits tell nothing to root, nor of a removed folder. 0, or -1 with
 * errno, also where the name is too long.
 */
int output_try(const char *path);

/* What errno says of an output. */
const char *former_output_error(void);
