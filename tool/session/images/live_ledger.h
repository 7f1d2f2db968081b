/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_ledger.h - the ledger of a process that runs
 *
 *     struct live_ledger ledger;
 *     struct ledger_snapshot snapshot;
 *     struct session_failure failure;
 *
 *     if (live_ledger_open(pid, &ledger, &failure) < 0)
 *         print(failure.text);
 *     if (live_ledger_read(&ledger, &snapshot, &failure) == 0)
 *         use(snapshot.bytes, snapshot.size);
 *     ledger_snapshot_free(&snapshot);
 *     live_ledger_close(&ledger);
 *
 * Named by the pid of a `tally record`, it is that of the program it runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tool/session/find/ledger_snapshot.h"
#include "tool/session/session_failure.h"

struct live_ledger {
    int fd;          /* of the session's file */
    uint64_t offset; /* where the ledger begins; 0: never, there is none */
    pid_t pid;       /* of the process that the accounts are of */
};

/* The newest ledger of process `pid`, or of the program that it records. */
int live_ledger_open(pid_t pid, struct live_ledger *ledger,
                     struct session_failure *failure);
void live_ledger_close(struct live_ledger *ledger);

/*
 * Call `tell` with the newest ledger of each process that runs and descends
 * from that of `root`, or where it has no offset of all others of its session,
 * until it returns other than 0, which is returned. -1 without memory.
 */
int live_ledger_each(const struct live_ledger *root,
                     int (*tell)(const struct live_ledger *ledger,
                                 void *context),
                     void *context);

/* Its accounts at this instant; the caller frees the snapshot. */
int live_ledger_read(const struct live_ledger *ledger,
                     struct ledger_snapshot *snapshot,
                     struct session_failure *failure);

/*
 * Read the resident memory of its process into the snapshot's header, and
 * unless `ranges` is NULL the heap's ranges. False, and the header keeps what
 * tally record read last: it does not show, or the process has no such ledger.
 */
struct heap_ranges;
bool live_ledger_read_resident(const struct live_ledger *ledger,
                               const struct ledger_snapshot *snapshot,
                               struct heap_ranges *ranges);

/* Add resident memory, and the stacks that pin the heap's pages (residency.h).
   Return 0, or -1. */
int live_ledger_read_residency(const struct live_ledger *ledger,
                               struct ledger_snapshot *snapshot,
                               struct session_failure *failure);

/*
 * The 32-bit word at byte `at` of the ledger's header, as it is now; left as it
 * is where there is no ledger.
 */
int live_ledger_get(const struct live_ledger *ledger, size_t at, uint32_t *word,
                    struct session_failure *failure);

/* Set it; the caller has seen that there is one. */
int live_ledger_set(const struct live_ledger *ledger, size_t at, uint32_t word,
                    struct session_failure *failure);

/* Return true if its process still maps it; after an exec it does not. Return
   true if that cannot be read. */
bool live_ledger_is_held(const struct live_ledger *ledger);

/* Return true if the process still runs and is recorded. */
bool live_ledger_is_alive(const struct live_ledger *ledger);

/* A recorded process of this user, for root of any, and the oldest that lives
   of its session. */
struct live_program {
    struct live_ledger ledger; /* its descriptor is closed again */
    uint32_t user;
    pid_t program;
    uint64_t start_ns; /* of the program */
};

typedef void live_program_fn(const struct live_program *program, void *context);

/*
 * Call `tell` with each recorded process. Each session is looked through once,
 * and the sessions of one user for a second of processor time and up to 512
 * processes. Return the number of a user with more, or -1.
 */
int64_t live_ledger_find_all(live_program_fn *tell, void *context);
