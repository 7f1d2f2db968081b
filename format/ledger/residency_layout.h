/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency_layout.h - which stacks keep pages resident, byte by byte
 *
 * The RESIDENCY segments of a ledger, and what they are worked out from: the
 * shadow, which is not in the ledger but in the process. Who reads the
 * ledger of a live process may add them to a copy: see residency.h.
 */
#pragma once

#include <stdint.h>

enum { LEDGER_RESIDENCY_PER_SEGMENT = 4096 };

/*
 * Of one site, by its id. Number 0 is of the pages that no block pins: its
 * `alone` and `alone_blocks` are bytes of pages that were not looked at and
 * references that were left out, as they were caught while they changed.
 */
struct ledger_residency {
    uint64_t resident;     /* bytes: its share of the resident pages it pins */
    uint64_t used;         /* that it asked for, in resident pages */
    uint64_t alone;        /* of resident pages that it alone pins */
    uint64_t alone_blocks; /* that pin them */
    uint64_t shared;       /* of `resident`: mapped by others, too */
    uint64_t swapped;      /* its share of pages that were swapped out */
    uint64_t huge;         /* of `resident`: in huge pages */
    uint64_t untouched;    /* that it asked for, in pages that never were; since
                              minor version 8 */
};

/* In the process: how its shadow lies (ledger/shards/shadow.h). */
enum {
    LEDGER_SHADOW_REGION_SHIFT = 22,
    LEDGER_SHADOW_SLOTS = 32768,
};

struct ledger_shadow_slot {
    uint64_t start;
    uint64_t leaf; /* address of the words of a region; 0: none */
};

struct ledger_shadow {
    struct ledger_shadow_slot slots[LEDGER_SHADOW_SLOTS];
    uint32_t claims[LEDGER_SHADOW_SLOTS]; /* region + 1; 0: the slot is free */
    uint32_t granule_log2;                /* 4 (libc's allocator) or 3 */
    uint32_t is_compressed;
    uint32_t is_wide;
    uint32_t leaf_count;
};

_Static_assert(sizeof(struct ledger_residency) == 64, "layout");
_Static_assert(sizeof(struct ledger_shadow) == LEDGER_SHADOW_SLOTS * 20 + 16,
               "layout");
