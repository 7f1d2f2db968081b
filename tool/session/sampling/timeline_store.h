/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_store.h - a ledger's totals over time, in room that never grows
 *
 * When the room is full, every other sample goes: of two neighbours the one
 * with more live bytes stays, so that what is left was true, and a peak that
 * was seen is not lost.
 */
#ifndef TALLY_TOOL_SESSION_TIMELINE_STORE_H
#define TALLY_TOOL_SESSION_TIMELINE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/sampling/site_peaks.h"

struct ledger_sample;

/*
 * Add a sample to the LEDGER_SAMPLE_CAPACITY that there is room for. A
 * concurrent reader finds nothing but samples. True: every other one had to go.
 */
bool timeline_store_add(struct ledger_sample *samples,
                        const struct ledger_sample *sample);

/*
 * The totals in `snapshot`, as of `ns`; false when it cannot be read. Each of
 * its sites is shown to `peaks`, if there are any.
 */
bool timeline_store_measure(const struct ledger_snapshot *snapshot, uint64_t ns,
                            struct ledger_sample *sample,
                            struct site_peaks *peaks);

/* Add the totals in `snapshot` to its own timeline, if it has one; likewise. */
void timeline_store_close(struct ledger_snapshot *snapshot, uint64_t ns,
                          struct site_peaks *peaks);

#endif /* TALLY_TOOL_SESSION_TIMELINE_STORE_H */
