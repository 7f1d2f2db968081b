/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_file.h - how tally record has this program's own malloc patched, as a
 * file
 *
 * The code in it is run. Any process of the session can write the session's
 * file, so the plan lies in another: format/ledger/session_layout.h.
 */
#pragma once

#include "format/ledger/patch_plan.h"

/* Map the plan, for raw_munmap(): of a file that no process can change, of root
   or of this user. NULL: there is none. */
const struct patch_plan *plan_file_map(void);
