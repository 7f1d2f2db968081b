/* SPDX-License-Identifier: Apache-2.0 */
/* snapshots.c - snapshots whose time has come; see images.h */
#include "tool/session/images/images.h"

#include <string.h>

/* Return true if the heap ever had so many bytes, estimated if it is
   sampled. */
static bool has_held(int fd, uint64_t offset, uint64_t bytes)
{
    struct ledger_header header;
    const struct ledger_reader reader = {
        .bytes = (const unsigned char *)&header,
        .size = sizeof header,
    };
    struct ledger_heap_peak peak;

    if (ledger_header_read(fd, offset, &header) < 0)
        return false;
    ledger_reader_heap_peak(&reader, &peak);
    return peak.bytes >= bytes || peak.sample_most >= bytes;
}

bool snapshots_has_held(struct image_table *table,
                        const struct session_file *session, pid_t program,
                        uint64_t bytes)
{
    return image_table_refresh(table, session) && table->latest[program] != 0 &&
           has_held(session->fd,
                    session_extent_offset(table->latest[program] - 1), bytes);
}

static void take(struct snapshots *snapshots, const struct live_ledger *ledger,
                 const char *file)
{
    struct session_failures *failures = &snapshots->failures;
    struct ledger_snapshot snapshot;
    int error = EBADMSG;

    /* The ledger is already written, or not there yet. */
    if (ledger_snapshot_take(ledger->fd, ledger->offset, &snapshot) < 0)
        return;
    snapshots->is_asked = false;
    if (snapshots->is_resident &&
        live_ledger_read_residency(ledger, &snapshot,
                                   session_failure_slot(failures)) < 0)
        failures->count++; /* continue with the others */
    site_history_fetch(&snapshot);
    event_tail_add(&snapshot);
    if (timeline_store_close(&snapshot, clock_ns(CLOCK_REALTIME)))
        error = ledger_file_write(&snapshot, file, (int)snapshots->count + 1,
                                  snapshots->written) < 0
                    ? errno
                    : 0;
    if (error == 0)
        snapshots->count++;
    else if (failures->count++ == 0)
        session_fail(&failures->first,
                     "record: a snapshot of %s: %s; it is lost, make room",
                     file, strerror(error));
    ledger_snapshot_free(&snapshot);
}

/* Return true if it is time for a snapshot at `now`. */
static bool is_due(struct snapshots *snapshots, int fd, uint64_t offset,
                   uint64_t now)
{
    bool is_due = snapshots->is_asked;

    if (snapshots->interval_ns != 0 && now >= snapshots->next_ns) {
        is_due = snapshots->next_ns != 0 || is_due;
        snapshots->next_ns = now + snapshots->interval_ns;
    }
    if (snapshots->live_bytes != 0 &&
        has_held(fd, offset, snapshots->live_bytes)) {
        snapshots->live_bytes = 0;
        is_due = true;
    }
    return is_due;
}

int snapshots_poll(struct snapshots *snapshots, struct image_table *table,
                   const struct session_file *session, pid_t program,
                   const char *file, int wait_ms)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint32_t latest;

    if (snapshots->interval_ns == 0 && snapshots->live_bytes == 0 &&
        !snapshots->is_asked)
        return wait_ms;
    if (!image_table_refresh(table, session))
        return wait_ms;
    latest = table->latest[program];
    if (latest == 0)
        return wait_ms;
    if (is_due(snapshots, session->fd, session_extent_offset(latest - 1), now))
        take(snapshots,
             &(struct live_ledger){
                 session->fd, session_extent_offset(latest - 1), program },
             file);
    if (snapshots->next_ns != 0 &&
        snapshots->next_ns < now + (uint64_t)wait_ms * 1000000)
        wait_ms = (int)((snapshots->next_ns - now) / 1000000) + 1;
    return snapshots->live_bytes != 0 && wait_ms > SNAPSHOTS_LOOK_MS
               ? SNAPSHOTS_LOOK_MS
               : wait_ms;
}
