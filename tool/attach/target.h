/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target.h - whether a process can be attached to
 *
 * Refused are those that it would harm, or that it would tell nothing of. All
 * that is known is read from /proc, and nothing is stopped.
 */
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "tool/session/session_failure.h"

struct target {
    pid_t pid;
    uint64_t start_ticks; /* names the process for ever */
    char libc[PATH_MAX];  /* as found from here */
};

int target_check(pid_t pid, struct target *target,
                 struct session_failure *failure);
