/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h - tally/hook.h over the ledger
 *
 * Sites for other allocators, which keep their blocks' references themselves.
 * Any thread, any signal handler.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/accounts/engine.h"
#include "format/ledger/ledger_layout.h"
#include "tally/hook.h"

/* Return the id of a new or known site; `place` NULL: `key` is a code
   address. */
uint32_t sites_open(uintptr_t key, const struct tally_place *place);
struct tally_site_account sites_read(uint32_t site);
uint32_t sites_count(void);

/* Return true if compressed references ran out. */
bool sites_are_exhausted(void);

/* Sum up the heap's sites for engine_read_totals(). */
void sites_read_totals(struct engine_totals *totals);

/* Like ledger_write_region(), but note the file of a region without a name. */
struct ledger_region *sites_write_region(struct ledger_region *region,
                                         enum ledger_region_kind kind,
                                         uintptr_t address, const char *name);

void sites_see_peaks(void);

/* Give the site's tag another address, in a file that was loaded again. */
void sites_move(uint32_t site, uintptr_t key);
uint32_t sites_lost(void);

uint32_t sites_hook_alloc(uint32_t site, size_t size);
void sites_hook_free(uint32_t site, size_t size);
