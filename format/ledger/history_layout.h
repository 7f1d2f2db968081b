/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_layout.h - accounts of all sites over time
 *
 * A HISTORY segment has a header, its snapshots, and a run of changes for each
 * snapshot. A run lists the sites that changed since the previous snapshot,
 * ordered by id. Numbers have 7 bits a byte, lowest first; all bytes but the
 * last have the highest bit set:
 *
 *     difference to the previous id; growth of alloc_blocks, alloc_bytes,
 *     free_blocks and free_bytes
 *
 * So two runs merge by addition. Inherited blocks are in no run.
 */
#pragma once

#include <stdint.h>

#include "format/ledger/sites_layout.h"

enum {
    LEDGER_INSTANT_CAPACITY = 256,
    LEDGER_GROWN = 4, /* words of a counter */
};

struct ledger_history {
    uint32_t instant_count;
    uint32_t reserved;
    uint64_t left_out; /* sites that are in no run */
};

struct ledger_instant {
    uint64_t ns; /* CLOCK_REALTIME; increases from snapshot to snapshot */
    uint64_t live_bytes; /* live bytes of the heap */
    uint64_t end; /* end of its run, in bytes from the start of the first run */
    uint64_t resident; /* resident bytes of the process; 0: unknown */
};

_Static_assert(sizeof(struct ledger_counter) == LEDGER_GROWN * 8, "layout");
_Static_assert(sizeof(struct ledger_history) == 16, "layout");
_Static_assert(sizeof(struct ledger_instant) == 32, "layout");
