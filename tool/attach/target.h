/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - whether a process can be attached to
 *
 * Refused are those that it would harm, or that it would tell nothing of. All
 * that is known is read from /proc, and nothing is stopped.
 */
#pragma once

#include <sys/types.h>

#include "tool/session/session_failure.h"

int target_check(pid_t pid, struct session_failure *failure);
