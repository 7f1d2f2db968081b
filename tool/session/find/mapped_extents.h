/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapped_extents.h - which ledgers of a session are still in a process's memory
 *
 * A process that ends or execs drops its ledger, but a forked child that has
 * not allocated yet still needs its parent's. So memory is given back only for
 * ledgers that no process maps. Such a child that lives when the recording ends
 * is known by that map alone.
 */
#ifndef TALLY_TOOL_SESSION_MAPPED_EXTENTS_H
#define TALLY_TOOL_SESSION_MAPPED_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/session/find/image_table.h"

struct mapped_extents {
    bool *is_mapped; /* by ledger, as many as the table has; of the caller */
    uint32_t
        without; /* processes that map one and have no image in the table */
    bool is_complete; /* false: there may be more of both */
};

/*
 * Of the images in `table`. A process that shares its parent's memory does not
 * count as another: it uses its parent's ledger.
 */
void mapped_extents_find(const struct session_file *session,
                         const struct image_table *table,
                         struct mapped_extents *found);

#endif /* TALLY_TOOL_SESSION_MAPPED_EXTENTS_H */
