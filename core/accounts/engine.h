/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - the keeper of the tags' accounts
 *
 * Hosts keep accounts in the process's ledger, firmware and unit tests in
 * hook.c. The core uses only these functions, tally_site_open_place(),
 * tally_site_read(), and the allocating functions of tally/tagged.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/segments_layout.h"
#include "tally/config.h"

/*
 * Start to keep accounts, with `control` 0 (off) or 1 (on) and full or
 * compressed references. Return the word that controls the recording of new
 * allocations; it stays valid, and others may write it. Return NULL if there is
 * no memory. If the process is already recorded, return its word and ignore the
 * arguments; it may be LEDGER_CONTROL_NEVER. Idempotent.
 */
const uint32_t *engine_open(uint32_t control, bool is_compressed);

/* Set that word. */
void engine_set_control(uint32_t control);

/* Sums over all sites, without maps. */
struct engine_totals {
    uint64_t live_blocks, live_bytes;
    uint64_t total_bytes;
    uint64_t taken_bytes; /* memory used by live blocks, with libc's headers; 0:
                             unknown */
    uint64_t peak_bytes;  /* peak of live bytes; 0: unknown */
    uint64_t failed;      /* refused requests, as far as known */
};

/* Read the totals; not a snapshot while other threads allocate. */
void engine_read_totals(struct engine_totals *totals);

/*
 * Firmware has no loader, no reader of its tags and regions, and fewer tags
 * than compressed references can name. The macros let the compiler drop the
 * code for these.
 */
#if TALLY_HAS(OS)
/*
 * Prepare what the functions below need from the loader. Call it with no lock
 * held: a thread that loads an object holds the loader's lock while it waits
 * for the port's lock to enter its tags.
 */
void engine_prepare(void);

/* Publish that nothing is recorded, for good. */
void engine_never(void);

/* Continue the account `site` of a tag whose object was loaded again, now at
   address `key`. */
void engine_move_site(uint32_t site, uintptr_t key);

/* Handle that the object that contains `address` is being unloaded, or the
   process ends. */
void engine_leave(const void *address);

/* Return true if compressed references ran out, which ends recording for
   good. */
bool engine_is_exhausted(void);

/* Return true if every tag is to have an account from the start, not from its
   first allocation, so that readers see all tags. */
bool engine_wants_all_tags(void);

/* Return true if the process is recorded, which keeps accounts in any case. */
bool engine_is_recorded(void);

/* Return true if region records are this process's own. A forked child without
   a ledger sees its parent's; it opens its own now if it may. */
bool engine_has_ledger(void);

/*
 * Create a record of a region in the ledger; the caller writes its figures.
 * With `region`, rename that record. Return NULL if there is no ledger or no
 * room.
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
