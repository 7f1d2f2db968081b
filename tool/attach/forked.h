/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forked.h - the processes that an attached one has forked, as the kernel knows
 * them
 *
 * They have its jumps. The session's file is not asked: a process of another
 * user could have written it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Return the inode of the session's file that a process maps, or 0. */
uint64_t forked_session(pid_t pid);

bool forked_descends(pid_t pid, pid_t from);
