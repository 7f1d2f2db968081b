/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshots.h - ledgers of the program while it runs, as FILE.1, FILE.2, ...
 *
 * Snapshots are of the newest image of the program's process alone. They are
 * taken at an interval, when the heap first holds a number of bytes, or on
 * request. The ledger has the heap's peak itself, so no look comes too late.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/session/find/image_table.h"

/* The caller sets the first four. */
struct snapshots {
    uint64_t interval_ns; /* at least SNAPSHOTS_LEAST_NS */
    uint64_t live_bytes;  /* one at so much; 0 from then on */
    bool is_asked;        /* one as soon as there is a ledger */
    bool is_resident;     /* with who pins which pages */

    uint32_t count;         /* written */
    char written[PATH_MAX]; /* the last */
    struct session_failures failures;
    uint64_t next_ns; /* private; of CLOCK_MONOTONIC */
};

enum { SNAPSHOTS_LOOK_MS = 50 }; /* between two looks at what is held */

/* Return true if the program's newest image ever held so much. */
bool snapshots_has_held(struct image_table *table,
                        const struct session_file *session, pid_t program,
                        uint64_t bytes);

#define SNAPSHOTS_LEAST_NS UINT64_C(100000000)

/*
 * Take what is due; `file` is FILE. Returns the milliseconds until the next
 * call, at most `wait_ms`.
 */
int snapshots_poll(struct snapshots *snapshots, struct image_table *table,
                   const struct session_file *session, pid_t program,
                   const char *file, int wait_ms);
