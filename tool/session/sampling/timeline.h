/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline.h - a ledger's totals, now and over time
 *
 * Room for a timeline never grows. When it is full, every other sample goes: of
 * two neighbours the one with more live bytes stays, so that what is left was
 * true, and a peak that was seen is not lost.
 *
 * While the programs run, their ledgers are read now and then, at first every
 * 100 ms, the totals added to the timeline that each ledger has room for, and
 * what each site holds noted as its peak, if it is one. Whenever a timeline is
 * thinned out its interval doubles; so does that of its sites. All that
 * takes at most 1 % of one CPU's time: when there is more to read, it is read
 * less often.
 *
 * Resident memory is read after 10 ms, then whenever the image is twice as old,
 * at last twice a second; that takes at most another 1 %. If much of the heap
 * is unused or was never touched, pages and blocks tell which stacks pin or
 * left it: that takes at most 4 % for ten seconds, then another 1 %. The last
 * result goes into the ledger.
 *
 * With a budget of overhead there is an eighth of that in place of each 1 %,
 * and pages are not looked at.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/ledger_reader.h"
#include "format/ledger/segments_layout.h"
#include "tool/session/find/image_table.h"
#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/find/session_file.h"
#include "tool/session/sampling/site_history.h"

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
 * Note the peaks of sites in `snapshot`, as of `ns`; return false if it cannot
 * be read. A site that holds more than it was ever seen to hold is noted in the
 * copy and, where it is of a live ledger and we may write, in the ledger
 * itself.
 */
bool ledger_totals_read(const struct ledger_snapshot *snapshot, uint64_t ns,
                        struct ledger_totals *totals);

/* Add the totals in `snapshot` to its own timeline, if it has one, and to
   `history`, unless that is NULL. */
bool timeline_store_close(const struct ledger_snapshot *snapshot, uint64_t ns,
                          struct site_history *history);

/* Take the last sample of an image, and add its history to its last
   snapshot. */
void timeline_close_image(struct image *image, struct ledger_snapshot *snapshot,
                          uint64_t ns);

/* Free what was kept for an image, as timeline_close_image() does. */
void timeline_forget_image(struct image *image);

/*
 * Store resident memory in a header that others may be reading as the latest,
 * and as the one with the most if it is. The time of a read identifies it.
 */
void resident_memory_store(struct ledger_header *header,
                           const struct ledger_resident *resident);

/* Begins as { 0 }. */
struct timeline_sampler {
    uint32_t next;            /* private: the image whose turn it is */
    uint64_t share;           /* private: one part of so many of a CPU's time */
    uint64_t begun_ns;        /* private */
    uint64_t rest_until_ns;   /* private */
    uint64_t resident_cpu_ns; /* private: of one poll, and counted apart */
    uint64_t resident_rest_until_ns; /* private */
    uint64_t pages_rest_until_ns;    /* private */
};

/* Sample what is due. Returns the milliseconds until the next call. */
int timeline_sampler_poll(struct timeline_sampler *sampler,
                          struct image_table *table,
                          const struct session_file *session);
