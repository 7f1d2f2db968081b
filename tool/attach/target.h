/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - checks before a process is attached to
 *
 * Processes are refused that attaching would harm or learn nothing of.
 * Everything is read from /proc, and nothing is stopped.
 */
#pragma once

#include <sys/types.h>

#include "tool/session/session_failure.h"

int target_check(pid_t pid, struct session_failure *failure);
