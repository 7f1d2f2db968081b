/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entries.h - which functions of a running process are patched
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/patch_plan.h"
#include "tool/session/session_failure.h"

/*
 * The entries of its allocator: the executable's own malloc, or that of another
 * library than libc, or libc's; and what else the recorder looks at, of libc's.
 * With a `prefix`, a second allocator, whose names begin with it; or NULL.
 * -1: it cannot be patched, and why.
 */
int entries_plan(pid_t pid, const char *prefix, struct patch_plan *plan,
                 struct session_failure *failure);

/* Return the address of a function in the process, in the file whose name
   begins with `file` ("libc.so"), or 0. */
uint64_t entries_find(pid_t pid, const char *file, const char *name);
