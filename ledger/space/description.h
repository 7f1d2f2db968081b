/* SPDX-License-Identifier: Apache-2.0 */
/*
 * description.h - what a ledger says of its process
 *
 * Called by the one thread that opens a ledger, before the ledger is published.
 * Nothing here allocates.
 */
#ifndef TALLY_LEDGER_DESCRIPTION_H
#define TALLY_LEDGER_DESCRIPTION_H

#include <stdint.h>

#include "format/ledger/ledger_layout.h"

/* Which process it is and since when; `flags` of the header besides. */
void description_write(struct ledger_header *header, uint32_t flags);

/* Which program, and with what arguments. */
void description_write_names(struct ledger_header *header);

/* Once published: the program has an allocator at `symbol` that we shall not see. */
void description_note_allocator(const char *symbol);

#endif /* TALLY_LEDGER_DESCRIPTION_H */
