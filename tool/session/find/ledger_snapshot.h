/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_snapshot.h - a ledger that is being written, copied whole
 *
 * The copy is a valid ledger at whatever instant it is taken: what points is
 * copied before what it points at, and never the other way round.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ledger_header;
struct ledger_sample;

struct ledger_snapshot {
    union {
        unsigned char *bytes; /* page-aligned */
        struct ledger_header *header;
    };
    size_t size;     /* a multiple of LEDGER_PAGE */
    int fd;          /* where it was taken; -1: of no live ledger */
    uint64_t offset; /* there */
};

/*
 * Copy the ledger that begins at byte `offset` of the session's file. Returns
 * 0, or -1 with errno set; ENOMSG when there is no ledger there (yet).
 */
int ledger_snapshot_take(int session_fd, uint64_t offset,
                         struct ledger_snapshot *snapshot);

/*
 * A ledger without accounts, that names the program's path and its NULL-ended
 * arguments. Returns 0, or -1 with errno set.
 */
int ledger_snapshot_make_empty(struct ledger_snapshot *snapshot,
                               const char *program, char *const *arguments);

void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/*
 * Add a segment behind all others; its bytes, which are zero, or NULL: there is
 * no room for it. Pointers into the snapshot are no longer valid then.
 */
unsigned char *ledger_snapshot_add(struct ledger_snapshot *snapshot,
                                   uint32_t kind, uint32_t index, size_t size);

/* Its timeline, found sound; NULL when it has none. */
struct ledger_sample *
ledger_snapshot_timeline(const struct ledger_snapshot *snapshot);

/*
 * The header alone of the ledger at `offset`, as it is now. Returns 0, or -1
 * when there is no ledger there (yet).
 */
int ledger_header_read(int session_fd, uint64_t offset,
                       struct ledger_header *header);
