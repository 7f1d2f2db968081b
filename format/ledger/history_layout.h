/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history_layout.h - the accounts of all sites over time, byte by byte
 *
 * A HISTORY segment: a head, its instants, and behind them a run for each. A
 * run has the sites that changed since the instant before, in the order of
 * their ids. Numbers are of 7 bits a byte, the lowest first, and all but the
 * last have the highest bit set:
 *
 *     by how much the id is more than the last one; alloc_blocks,
 *     alloc_bytes, free_blocks and free_bytes: by how much they grew
 *
 * So two runs are one by addition, and what was inherited is in no run.
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
    uint64_t ns;         /* CLOCK_REALTIME; more than the one before */
    uint64_t live_bytes; /* of the heap */
    uint64_t end;        /* of its run, in bytes from the first run on */
    uint64_t resident;   /* bytes of the process in memory; 0: not known */
};

_Static_assert(sizeof(struct ledger_counter) == LEDGER_GROWN * 8, "layout");
_Static_assert(sizeof(struct ledger_history) == 16, "layout");
_Static_assert(sizeof(struct ledger_instant) == 32, "layout");
