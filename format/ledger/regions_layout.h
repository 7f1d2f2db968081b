/* SPDX-License-Identifier: Apache-2.0 */
/* regions_layout.h - slabs and heaps in the ledger */
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

/* A region that the program manages itself. Bytes are those of whole blocks,
   overhead included. Index 0 is never used. */
struct ledger_region {
    uint32_t kind;    /* enum ledger_region_kind; stored last */
    uint32_t is_gone; /* 1: removed by the program */
    uint64_t address; /* of its struct */
    struct ledger_text name;
    uint64_t size;       /* used plus unused bytes */
    uint64_t block_size; /* 0: any */
    uint64_t used;       /* current bytes */
    uint64_t peak;       /* since the start or a reset */
    uint64_t refused;    /* requests that failed without waiting */
    uint64_t timed_out;  /* ... after waiting */
    uint64_t waiting;    /* threads that wait now */
    uint64_t longest_wait_ns;
    uint64_t faults;        /* invalid frees and damage */
    uint64_t largest_and_1; /* largest free block plus 1; 0: unknown */
    uint64_t reserved[2];
};

_Static_assert(sizeof(struct ledger_region) == 128, "layout");
