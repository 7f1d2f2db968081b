/* SPDX-License-Identifier: Apache-2.0 */
/*
 * residency_layout.h - resident pages by stack
 *
 * This file defines the RESIDENCY segments of a ledger, and the shadow in the
 * process from which they are computed. A reader of a live process's ledger may
 * add them to its copy: see residency.h.
 */
#pragma once

#include <stdint.h>

enum { LEDGER_RESIDENCY_PER_SEGMENT = 4096 };

/*
 * Pages of one site, by its id. Number 0 is for pages that no block pins: its
 * `alone` is bytes of pages that were not examined, its `alone_blocks`
 * references that were skipped because they were changing.
 */
struct ledger_residency {
    uint64_t resident;     /* bytes: its share of the resident pages it pins */
    uint64_t used;         /* its requested bytes in resident pages */
    uint64_t alone;        /* bytes of resident pages that only it pins */
    uint64_t alone_blocks; /* blocks in those pages */
    uint64_t shared;    /* bytes of `resident` that other processes map, too */
    uint64_t swapped;   /* bytes: its share of swapped-out pages */
    uint64_t huge;      /* bytes of `resident` in huge pages */
    uint64_t untouched; /* its requested bytes in pages never touched; since
                              minor version 8 */
};

/* In the process: layout of its shadow (ledger/shards/shadow.h). */
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
    uint32_t claims[LEDGER_SHADOW_SLOTS]; /* region + 1; 0: free slot */
    uint32_t granule_log2;                /* 4 (libc's allocator) or 3 */
    uint32_t is_compressed;
    uint32_t is_wide;
    uint32_t leaf_count;
};

_Static_assert(sizeof(struct ledger_residency) == 64, "layout");
_Static_assert(sizeof(struct ledger_shadow) == LEDGER_SHADOW_SLOTS * 20 + 16,
               "layout");
