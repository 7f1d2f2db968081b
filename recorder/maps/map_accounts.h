/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_accounts.h - anonymous memory by mmap, in accounts of its own
 *
 * mmap, munmap and mremap are recorded exactly, by interval: a partial munmap,
 * an overlay by MAP_FIXED, an mremap that moves. These accounts are never part
 * of the heap's. What the allocator maps for itself is its own affair and is
 * left out.
 */
#ifndef TALLY_RECORDER_MAP_ACCOUNTS_H
#define TALLY_RECORDER_MAP_ACCOUNTS_H

#include <stdint.h>

/*
 * In a forked child, before it records: what it inherited. Returns how many maps
 * are lost, because the fork came while another thread changed the intervals.
 */
uint64_t map_accounts_inherit(void);

/* Address of a struct ledger_map_table of all maps; others may read it. */
uint64_t map_accounts_table(void);

#endif /* TALLY_RECORDER_MAP_ACCOUNTS_H */
