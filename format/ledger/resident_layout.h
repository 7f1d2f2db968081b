/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_layout.h - resident memory in the ledger, byte by byte
 *
 * What the kernel holds in memory for a process, and what for. tally record
 * reads it from outside while the program runs (resident_memory.h) and stores
 * it in the ledger's header: see ledger_layout.h.
 */
#pragma once

#include <stdint.h>

enum ledger_resident_flags {
    LEDGER_RESIDENT_MAPS_KNOWN = 1u << 0, /* `maps` is not part of `heap` */
};

/*
 * What lay in memory at one time, by use, as the kernel says. All parts
 * together are the resident memory of the process.
 */
struct ledger_resident {
    uint64_t ns;     /* CLOCK_REALTIME; 0: not read; stored last */
    uint64_t heap;   /* bytes of the allocator's, in blocks and unused */
    uint64_t maps;   /* anonymous maps that the program made itself */
    uint64_t files;  /* mapped files, and the variables of what was loaded */
    uint64_t stacks; /* of all threads */
    uint64_t tally;  /* our own */
    uint64_t unexplained;
    uint64_t live_bytes; /* of the heap, by its accounts */
    uint64_t highest;    /* that all of it was until then; 0 unknown */
    uint64_t flags;      /* enum ledger_resident_flags */
    uint64_t reserved[6];
};

#define LEDGER_RESIDENT_PARTS(X) \
    X(heap) X(maps) X(files) X(stacks) X(tally) X(unexplained)

/* Which of ledger_header.resident[]. */
enum ledger_resident_time {
    LEDGER_RESIDENT_LATEST = 0,
    LEDGER_RESIDENT_MOST = 1, /* of all that were read */
    LEDGER_RESIDENT_CAPACITY = 2,
};

/* Not in the ledger but in the process: what of it is in accounts, and is no
   heap. */
struct ledger_map_table {
    uint64_t address; /* of `count` struct ledger_map, in rising order */
    uint64_t count;
};

struct ledger_map {
    uint64_t start; /* [start, end) */
    uint64_t end;
    uint32_t site; /* its reference; and marks */
    uint32_t reserved;
};

enum ledger_map_marks {
    LEDGER_MAP_STACK = 1 << 29,   /* of a thread */
    LEDGER_MAP_PARENTS = 1 << 30, /* shared with a parent, in whose accounts it
                                     is */
    LEDGER_MAP_SITE = (1 << 27) - 1,
};

_Static_assert(sizeof(struct ledger_resident) == 128, "layout");
_Static_assert(sizeof(struct ledger_map) == 24, "layout");
