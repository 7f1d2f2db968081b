/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_ledger.h - the ledger in a core dump of a kernel or of gcore
 *
 * A recorded process maps its ledger, and has its used part dumped. The dump's
 * list of mapped files locates it: one extent of the session's file.
 */
#pragma once

#include "tool/model/source.h"

/* Read the ledger in a core dump; the descriptor stays the caller's. Return 1,
   0 if the file is no core dump, or -1 with the reason. */
int core_ledger_read(int descriptor, struct source *source,
                     struct source_failure *failure);
