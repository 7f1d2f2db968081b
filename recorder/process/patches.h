/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patches.h - a malloc that no preload reaches: the executable's own, or that
 * of a running program
 *
 * All entries are patched or none. Functions return false for none.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/patch_plan.h"
#include "ledger/export.h"

/*
 * Patch this executable by the session's plan, which must have its `nonce`.
 * Called by the thread that opens the first ledger, before the executable's own
 * code runs.
 */
bool patches_apply(uint64_t nonce);

/* Prepare the targets of tally attach's jumps, and fill in `plan->ways`. The
   plan lies in memory of this process alone. */
bool patches_attach(struct patch_plan *plan);

/* plan of tally attach while it has the ledger opened; else NULL */
extern HIDDEN struct patch_plan *attached_plan;
