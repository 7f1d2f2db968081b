/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_layout.h - resident memory in the ledger
 *
 * tally record reads a process's resident memory by use from the kernel while
 * the program runs (resident_memory.h) and stores it in the ledger's header
 * (ledger_layout.h).
 */
#pragma once

#include <stdint.h>

enum ledger_resident_flags {
    LEDGER_RESIDENT_MAPS_KNOWN = 1u << 0, /* `maps` is not part of `heap` */
};

/* Resident memory at one time, by use, as reported by the kernel. The sum of
   all parts is the resident memory of the process. */
struct ledger_resident {
    uint64_t ns;     /* CLOCK_REALTIME; 0: not read; stored last */
    uint64_t heap;   /* bytes of the allocator, in blocks and free */
    uint64_t maps;   /* anonymous maps made by the program itself */
    uint64_t files;  /* mapped files, and variables of loaded objects */
    uint64_t stacks; /* stacks of all threads */
    uint64_t tally;  /* Tally's own memory */
    uint64_t unexplained;
    uint64_t live_bytes; /* live bytes of the heap, by its accounts */
    uint64_t highest;    /* highest sum so far; 0: unknown */
    uint64_t flags;      /* enum ledger_resident_flags */
    uint64_t reserved[6];
};

#define LEDGER_RESIDENT_PARTS(X) \
    X(heap) X(maps) X(files) X(stacks) X(tally) X(unexplained)

/* Index of ledger_header.resident[]. */
enum ledger_resident_time {
    LEDGER_RESIDENT_LATEST = 0,
    LEDGER_RESIDENT_MOST = 1, /* the highest of all that were read */
    LEDGER_RESIDENT_CAPACITY = 2,
};

/* In the process, not in the ledger: maps that are in accounts and not in the
   heap. */
struct ledger_map_table {
    uint64_t address; /* address of `count` struct ledger_map, in ascending
                         order */
    uint64_t count;
};

struct ledger_map {
    uint64_t start; /* [start, end) */
    uint64_t end;
    uint32_t site; /* reference of its site, and marks */
    uint32_t reserved;
};

enum ledger_map_marks {
    LEDGER_MAP_STACK = 1 << 29,   /* a thread's stack */
    LEDGER_MAP_PARENTS = 1 << 30, /* shared with a parent, which accounts for
                                     it */
    LEDGER_MAP_SITE = (1 << 27) - 1,
};

_Static_assert(sizeof(struct ledger_resident) == 128, "layout");
_Static_assert(sizeof(struct ledger_map) == 24, "layout");
