/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_accounts.h - charge a range that no call of mmap or its like made, and
 * count calls past them
 */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_units.h"
#include "format/ledger/sites_layout.h"

/* The site, with all that led there, of a call for such a range; 0: it is not
   recorded. */
uint32_t map_accounts_site(enum ledger_site_kind kind, uintptr_t caller);

static inline uintptr_t map_accounts_pages(uintptr_t size)
{
    return (size + LEDGER_PAGE - 1) & ~(uintptr_t)(LEDGER_PAGE - 1);
}

/* [start, end) is a thread's stack, of that site; 0: it is no longer. */
void map_accounts_stack(uintptr_t start, uintptr_t end, uint32_t site);

/* Count a call of the mmap family that came through syscall(), from `caller`,
   unless a call of ours led to it, or it is the allocator's. */
void map_accounts_raw(uintptr_t caller);
