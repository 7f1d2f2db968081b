/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment.h - what the environment says to code that runs inside a program
 *
 * All of libtally, the recorder and this port ask here and nowhere else, which
 * scripts/check-layers holds. A privileged program (set-user-ID,
 * set-group-ID, file capabilities: AT_SECURE) has no environment here: the
 * caller chose every word of it.
 */
#ifndef PORTS_POSIX_ENVIRONMENT_H
#define PORTS_POSIX_ENVIRONMENT_H

/* The value of `name`, which is the program's, or NULL. Safe in a hook, and
 * before libc is ready. */
const char *environment_find(const char *name);

#endif
