/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached.h - the plan by which tally attach has this process patched
 */
#pragma once

#include "format/ledger/patch_plan.h"
#include "ledger/export.h"

/* In this process's own memory, while tally attach opens the ledger; else
   NULL. */
extern HIDDEN struct patch_plan *attached_plan;
