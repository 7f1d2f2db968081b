/* SPDX-License-Identifier: Apache-2.0 */
/* map_accounts.h - charge ranges that no call of the mmap family made, and
   count calls that bypass us */
#pragma once

#include <stdint.h>

#include "format/ledger/segments_layout.h"

/* Return the site, with its stack, for such a range; 0: it is not recorded. */
uint32_t map_accounts_site(enum ledger_site_kind kind, uintptr_t caller);

static inline uintptr_t map_accounts_pages(uintptr_t size)
{
    return (size + LEDGER_PAGE - 1) & ~(uintptr_t)(LEDGER_PAGE - 1);
}

/* Assign [start, end), a thread's stack, to `site`; 0: it is no longer a
   stack. */
void map_accounts_stack(uintptr_t start, uintptr_t end, uint32_t site);

/* Count a call of the mmap family through syscall(), from `caller`, unless one
   of our calls led to it, or it is the allocator's. */
void map_accounts_raw(uintptr_t caller);

/* Return the address of a struct ledger_map_table, for other processes. */
uint64_t map_accounts_table(void);

struct ledger_header;

/* Take over the parent's maps in a forked child, before it records. */
void map_accounts_inherit(struct ledger_header *header);
