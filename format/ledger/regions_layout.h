/* SPDX-License-Identifier: Apache-2.0 */
/* regions_layout.h - slabs and heaps in the ledger, byte by byte */
#pragma once

#include <stdint.h>

#include "format/ledger/ledger_units.h"

enum { LEDGER_REGIONS_PER_SEGMENT = 128 };

enum ledger_region_kind {
    LEDGER_REGION_NONE = 0,
    LEDGER_REGION_SLAB = 1,
    LEDGER_REGION_HEAP = 2,
    LEDGER_REGION_K_HEAP = 3, /* a heap that threads may wait for */
};

/*
 * A piece of memory that the program shares out itself. Bytes are those of
 * whole blocks, with what each costs. Index 0 is never used.
 */
struct ledger_region {
    uint32_t kind;    /* enum ledger_region_kind; stored last */
    uint32_t is_gone; /* 1: the program has forgotten it */
    uint64_t address; /* of its struct */
    struct ledger_text name;
    uint64_t size;       /* used and unused together */
    uint64_t block_size; /* 0: any */
    uint64_t used;       /* now */
    uint64_t peak;       /* the most at once, since the start or a reset */
    uint64_t refused;    /* requests that got nothing at once */
    uint64_t timed_out;  /* ... after waiting */
    uint64_t waiting;    /* threads that wait now */
    uint64_t longest_wait_ns;
    uint64_t faults;        /* bad frees, and damage */
    uint64_t largest_and_1; /* the largest unused piece, and 1; 0: not known */
    uint64_t reserved[2];
};

_Static_assert(sizeof(struct ledger_region) == 128, "layout");
