/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h - tally/hook.h over the ledger
 *
 * What an allocator of its own asks for: accounts by site, with a reference
 * that it keeps itself. Any thread, any signal handler.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/accounts/engine.h"
#include "format/ledger/ledger_layout.h"
#include "tally/hook.h"

/* The id of a new or known site; `place` NULL: `key` is an address of code. */
uint32_t sites_open(uintptr_t key, const struct tally_place *place);
struct tally_site_account sites_read(uint32_t site);
uint32_t sites_count(void);

/* Whether compressed references ran out. */
bool sites_are_exhausted(void);

/* Of the heap; engine_read_totals(). */
void sites_read_totals(struct engine_totals *totals);

/* As ledger_write_region(); the file of a region without a name is noted. */
struct ledger_region *sites_write_region(struct ledger_region *region,
                                         enum ledger_region_kind kind,
                                         uintptr_t address, const char *name);

/* Read all of them, for their peaks. */
void sites_see_peaks(void);

/* The site's tag has another address, in a file that was loaded again. */
void sites_move(uint32_t site, uintptr_t key);
uint32_t sites_lost(void);

uint32_t sites_hook_alloc(uint32_t site, size_t size);
void sites_hook_free(uint32_t site, size_t size);
