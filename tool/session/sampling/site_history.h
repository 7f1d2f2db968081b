/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_history.h - what each site of an image held over time, while it runs
 *
 *     site_history_note(history, site.id, &site.counter);  of all sites
 *     is_coarser = site_history_add(history, now, live_bytes);
 *
 * In memory of the command. A copy for others lies in the session, where the
 * program could write, too: what is read from there is checked. An instant
 * keeps what has changed since the one before: see history_reader.h. There are
 * at most 256, of at most 8 MiB; before there are more, every other one goes.
 * The one of two neighbours with more live bytes stays, so that a peak that was
 * seen is not lost; and so does the latest.
 *
 * Sites for which there is no room are counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/history_reader.h"
#include "tool/session/find/ledger_snapshot.h"

#define SITE_HISTORY_BYTES (UINT64_C(8) << 20)

struct site_counts {
    uint64_t now[LEDGER_GROWN];  /* as noted */
    uint64_t last[LEDGER_GROWN]; /* at the latest instant */
};

/* Begins as { 0 }. The rest is private. */
struct site_history {
    uint64_t resident;         /* of the next instant; 0: not known */
    struct site_counts *sites; /* by id */
    size_t site_count;
    uint64_t missing; /* sites without room, of this instant */
    uint64_t left_out;
    struct ledger_instant instants[LEDGER_INSTANT_CAPACITY];
    uint32_t count;
    unsigned char *runs;
    size_t room;
};

void site_history_note(struct site_history *history, uint32_t site,
                       const struct ledger_counter *counter);

/* An instant, with all that was noted. True: every other one had to go. */
bool site_history_add(struct site_history *history, uint64_t ns,
                      uint64_t live_bytes);

/* Into a snapshot, as its last segment: its bytes, or NULL if there are none or
   there is no room. */
const unsigned char *site_history_store(const struct site_history *history,
                                        struct ledger_snapshot *snapshot);

/* Publish the history in the session, too: others may be reading. */
void site_history_publish(const struct site_history *history,
                          struct ledger_snapshot *snapshot);

/* Copy the published history of the snapshot's image into the snapshot,
   unchecked. */
void site_history_fetch(struct ledger_snapshot *snapshot);

/* Go on with it, in an empty history: its tally record was killed. */
void site_history_resume(struct site_history *history,
                         struct ledger_snapshot *snapshot);

void site_history_free(struct site_history *history);
