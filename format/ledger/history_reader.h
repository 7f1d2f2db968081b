/* SPDX-License-Identifier: Apache-2.0 */
/* history_reader.h - read and check the history in a ledger */
#pragma once

#include <stdint.h>

#include "format/invariant.h"
#include "format/ledger/ledger_reader.h"
#include "format/ledger/segments_layout.h"

/*
 * Accounts of all sites over time.
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

STATIC_ASSERT(sizeof(struct ledger_counter) == LEDGER_GROWN * 8);
STATIC_ASSERT(sizeof(struct ledger_history) == 16);
STATIC_ASSERT(sizeof(struct ledger_instant) == 32);

/* Read and check the history in a ledger. */

struct ledger_history_view {
    uint32_t count; /* at least 1 */
    uint64_t left_out;
    struct ledger_instant instants[LEDGER_INSTANT_CAPACITY];
    const unsigned char *runs; /* in the ledger's bytes */
};

/* Return 1, 0 if there is none, or an enum ledger_error. */
int ledger_reader_history(struct ledger_reader *reader,
                          struct ledger_history_view *history);

struct ledger_run {
    const unsigned char *at, *end;
    uint32_t site; /* last site, at first 0 */
};

struct ledger_change {
    uint32_t site;
    uint64_t grown[LEDGER_GROWN]; /* in the order of struct ledger_counter */
};

/* Return the run of snapshot `number`. */
static inline struct ledger_run
ledger_run_of(const unsigned char *runs, const struct ledger_instant *instants,
              uint32_t number)
{
    uint64_t from = number == 0 ? 0 : instants[number - 1].end;

    return (struct ledger_run){ runs + from, runs + instants[number].end, 0 };
}

/* Return 1 and the next change, 0 at the end, or LEDGER_E_HISTORY. Sites
   increase and are below LEDGER_SITE_LIMIT. */
int ledger_run_next(struct ledger_run *run, struct ledger_change *change);

/* Add a change to a struct ledger_counter, given as words. */
static inline void ledger_change_add(const struct ledger_change *change,
                                     uint64_t sum[LEDGER_GROWN])
{
    for (unsigned i = 0; i < LEDGER_GROWN; i++)
        sum[i] += change->grown[i];
}
