/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - what keeps the accounts of tags
 *
 * On hosts the process's live ledger, on firmware and in unit tests hook.c's
 * book. The core only asks for these, for tally_site_open_place() and
 * tally_site_read(), and for the functions of tally/tagged.h, which allocate.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/regions_layout.h"

/*
 * Begin to keep accounts, with `control` 0 (off) or 1 (on) and full or
 * compressed references. Returns the word that says whether new allocations are
 * recorded, valid for ever; others may write it. NULL: no memory. When the
 * process is already recorded, its word is returned and the arguments do not
 * matter; it may say LEDGER_CONTROL_NEVER. Idempotent.
 */
const uint32_t *engine_open(uint32_t control, bool is_compressed);

/* Write that word. */
void engine_set_control(uint32_t control);

/* What all sites hold, maps not counted. */
struct engine_totals {
    uint64_t live_blocks, live_bytes;
    uint64_t total_bytes;
    uint64_t taken_bytes; /* by what lives, with libc's headers; 0: unknown */
    uint64_t peak_bytes;  /* the most that was live at once; 0: unknown */
    uint64_t failed;      /* refused requests, as far as is known */
};

/* Not one instant while other threads allocate. */
void engine_read_totals(struct engine_totals *totals);

/*
 * Firmware has no loader, no outside to tell of its tags and regions, and fewer
 * tags than compressed references can name. That the compiler knows it spares a
 * program everything else.
 */
#if __STDC_HOSTED__
/*
 * Ask the loader what the following will need. With no lock held: a thread that
 * loads an object holds the loader's, and waits for the port's to enter its
 * tags.
 */
void engine_prepare(void);

/* Let the outside know that nothing is recorded for good. */
void engine_never(void);

/*
 * The object of a tag was loaded again, and the account `site` of the tag goes
 * on there: the tag is at the address `key` now.
 */
void engine_move_site(uint32_t site, uintptr_t key);

/* The object that `address` is in is about to be unloaded, or the process
   ends. */
void engine_leave(const void *address);

/* Whether compressed references ran out: recording has ended for good. */
bool engine_is_exhausted(void);

/*
 * Whether every tag is to have an account as soon as accounts are kept, and not
 * when something is allocated there: so that the outside knows of all tags.
 */
bool engine_wants_all_tags(void);

/* Whether the process is recorded, so that the accounts are open anyway. */
bool engine_is_recorded(void);

/*
 * Whether a record of a region is this process's own: a forked child that has
 * no ledger yet sees its parent's, and opens one now if it may.
 */
bool engine_has_ledger(void);

/*
 * A new record of a region in the ledger, whose figures the caller writes; with
 * `region` that one under another name. NULL: no ledger, or no room.
 */
struct ledger_region *engine_write_region(struct ledger_region *region,
                                          enum ledger_region_kind kind,
                                          uintptr_t address, const char *name);
#else
#define engine_prepare()            ((void)0)
#define engine_never()              ((void)0)
#define engine_move_site(site, key) ((void)(site), (void)(key))
#define engine_leave(address)       ((void)(address))
#define engine_is_exhausted()       false
#define engine_wants_all_tags()     false
#define engine_is_recorded()        false
#define engine_has_ledger()         false
#define engine_write_region(region, kind, address, name) \
    ((void)(region), (void)(kind), (void)(address), (void)(name), NULL)
#endif
