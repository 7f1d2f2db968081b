/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.h - the jumps over a running process's entries, written and taken away
 *
 * All its threads are stopped for that. None may stand behind the first byte of
 * what a jump covers, nor return there from a signal's handler.
 */
#pragma once

#include <stdint.h>

#include "format/ledger/patch_plan.h"
#include "tool/attach/tracee.h"

/*
 * To the ways that begin at `plan->ways`, all or none. Adds the time that the
 * process was stopped to `*stopped_ns`, for the longest of several tries. -1:
 * why not; the process is as before, and runs.
 */
int jumps_write(struct tracee *tracee, struct patch_plan *plan, int limit_ms,
                uint64_t *stopped_ns);

/* What was there before; where no jump of ours is, nothing is written. */
int jumps_remove(struct tracee *tracee, struct patch_plan *plan, int limit_ms,
                 uint64_t *stopped_ns);
