/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_store.h - a ledger's totals, now and over time
 *
 * Room for a timeline never grows. When it is full, every other sample goes: of
 * two neighbours the one with more live bytes stays, so that what is left was
 * true, and a peak that was seen is not lost.
 */
#ifndef TALLY_TOOL_SESSION_TIMELINE_STORE_H
#define TALLY_TOOL_SESSION_TIMELINE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_stacks.h"
#include "format/ledger/ledger_timeline.h"
#include "tool/session/find/ledger_snapshot.h"

/*
 * Add a sample to the LEDGER_SAMPLE_CAPACITY that there is room for. A
 * concurrent reader finds nothing but samples. True: every other one had to go.
 */
bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample);

/* The totals of a ledger's heap. */
struct ledger_totals {
    struct ledger_sample sample;
    uint64_t allocations;
    bool is_estimate; /* for it was sampled */
};

/*
 * Those in `snapshot`, as of `ns`; false when it cannot be read. A site that
 * holds more than it was ever seen to hold is noted in the copy and, where it
 * is of a live ledger and we may write, in the ledger itself.
 */
bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals);

/* Add the totals in `snapshot` to its own timeline, if it has one; likewise. */
void timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns);

/*
 * Store 64-bit words that others may be reading. The first is the time: it goes
 * last, and is 0 while the rest changes.
 */
void store_timed(void *place, const void *value, size_t size);

#endif /* TALLY_TOOL_SESSION_TIMELINE_STORE_H */
