/* SPDX-License-Identifier: Apache-2.0 */
/*
 * former_output.h - make room for a command's output: remove former output, and
 * check that the folder takes files
 */
#pragma once

/*
 * Remove `path`: a file, or a folder that holds only files with Tally's names
 * of traces and process ledgers. Refuse a folder with anything else
 * (ENOTEMPTY), links and devices (EMEDIUMTYPE), and the file `read` (EBUSY),
 * which may be NULL. Return 0, also if nothing was there, or -1 with errno.
 */
int former_output_remove(const char *path, const char *read);

/* Return 0 if former_output_remove() would succeed, or -1 with errno. */
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
