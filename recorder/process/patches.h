/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.h - a malloc that no preload reaches: the program's own, or of a
 * program that runs already
 *
 * All entries are patched or none. False: none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/patch_plan.h"
#include "ledger/export.h"

/*
 * Patch this executable by the session's plan, which must have its `nonce`: in
 * the thread that opens the first ledger, before the executable's own code
 * runs.
 */
bool patches_apply(uint64_t nonce);

/*
 * Prepare what the jumps of tally attach lead to, and fill in `plan->ways`. The
 * plan lies in memory of this process alone.
 */
bool patches_attach(struct patch_plan *plan);

/* The plan of tally attach, while it has the ledger opened; else NULL. */
extern HIDDEN struct patch_plan *attached_plan;
