/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapped_extents.h - which ledgers of a session are still in somebody's memory
 *
 * A process that ends or execs drops its ledger, but a forked child that has
 * not allocated yet still needs its parent's. So memory is given back only for
 * ledgers that nobody maps.
 */
#ifndef TALLY_TOOL_SESSION_MAPPED_EXTENTS_H
#define TALLY_TOOL_SESSION_MAPPED_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Set is_mapped[k], for k < count, when some process maps ledger k of the file
 * behind `session_fd`. Returns false when there may be more.
 */
bool mapped_extents_find(int session_fd, bool *is_mapped, uint32_t count);

#endif /* TALLY_TOOL_SESSION_MAPPED_EXTENTS_H */
