/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_ledger.h - the ledger that lies in a core dump, a kernel's or gcore's
 *
 * A recorded process maps its ledger, and lets it be dumped as far as there is
 * something in it. The dump's list of mapped files says where: the file is the
 * session's, and what was mapped of it is of one extent.
 */
#pragma once

#include "tool/model/source.h"

/*
 * Take the ledger in a file of which the descriptor stays the caller's: 1, 0 if
 * it is no core dump, or -1 with the reason.
 */
int core_ledger_read(int descriptor, struct source *source,
                     struct source_failure *failure);
