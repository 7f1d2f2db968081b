/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.h - the file with tally record's plan to patch this program's
 * malloc
 *
 * Its code is run. Any process of the session can write the session's file, so
 * the plan is a separate file: format/ledger/session_layout.h.
 */
#pragma once

#include "format/ledger/patch_plan.h"

/* Map the plan, if no process can change its file and it belongs to root or
   this user. The caller unmaps it by raw_munmap(). NULL: there is none. */
const struct patch_plan *plan_file_map(void);
