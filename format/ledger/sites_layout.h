/* SPDX-License-Identifier: Apache-2.0 */
/* sites_layout.h - call sites and their accounts in the ledger, byte by byte */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_units.h"

enum {
    LEDGER_SITES_PER_SEGMENT = 128,
    LEDGER_PEAKS_PER_SEGMENT = 4096,
};

enum ledger_site_kind {
    LEDGER_SITE_NONE = 0,  /* id not in use */
    LEDGER_SITE_HEAP = 1,  /* malloc family, new and delete */
    LEDGER_SITE_MAP = 2,   /* anonymous mmap; never part of heap totals */
    LEDGER_SITE_FILE = 3,  /* mmap of a file */
    LEDGER_SITE_STACK = 4, /* of a thread, of who created it */
    LEDGER_SITE_KINDS,     /* from FILE on address space: in no total or peak */
};

/*
 * One call site. Several ids may name one place (two threads that met it at the
 * same instant): readers add them up by address, module and kind. Id 0 is never
 * used.
 */
struct ledger_site {
    uint32_t kind;             /* enum ledger_site_kind; stored last */
    uint32_t module;           /* index in the module table; 0 unknown */
    uint64_t address;          /* return address of the call, or of a tag */
    uint64_t inherited_blocks; /* live at fork, in a child's ledger only; its */
    uint64_t inherited_bytes;  /* frees count in `free_*` like all others */
    /*
     * What the source calls the place: FILE NUL FUNCTION NUL MODULE, the module
     * empty in the program itself. `address` is then that of its tag, where it
     * was loaded last. Length 0: it is known by its address alone. Its
     * unseen_frees are the site's blocks that were found to be freed out of
     * sight.
     */
    struct ledger_text place;
    uint32_t line;      /* of FILE */
    uint32_t frame;     /* where the function that `address` lies in was called:
                       index of a frame, 0 or LEDGER_FRAME_CUT */
    uint64_t peak_seen; /* the most live bytes that a reading has found: readers
                             raise it, never lower it */
};

/*
 * After the 128 sites of a SITES segment come shard_count pages of 128 of
 * these, in the same order. Only sums over all shards mean anything; they wrap
 * at 2^64 and
 *
 *     live = inherited + allocated - freed
 *
 * For other kinds of sites, blocks are pieces of address space (an munmap in
 * the middle of one makes two) and bytes are whole pages.
 */
struct ledger_counter {
    uint64_t alloc_blocks;
    uint64_t alloc_bytes; /* as requested */
    uint64_t free_blocks;
    uint64_t free_bytes;
};

/*
 * With LEDGER_FLAG_TEMPORARY there come, behind the counters, a row of 128
 * words for each shard: how many of a site's blocks were freed before their
 * thread allocated again. With LEDGER_FLAG_GROWN two rows of all shards follow:
 * how many of its blocks realloc made grow, and by how many bytes. Here the
 * size of so many rows, whole pages.
 */
enum { LEDGER_GROWN_ROWS = 2 };

static inline uint64_t ledger_rows_size(uint32_t rows)
{
    uint64_t size =
        (uint64_t)rows * LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);

    return (size + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE;
}

/* What a site held when the heap held most; by the site's id. */
struct ledger_peak {
    uint64_t blocks;
    uint64_t bytes;
};

_Static_assert(sizeof(struct ledger_site) == 64, "layout");
_Static_assert(offsetof(struct ledger_site, peak_seen) == 56, "layout");
_Static_assert(sizeof(struct ledger_counter) == 32, "layout");
_Static_assert(sizeof(struct ledger_counter) * LEDGER_SITES_PER_SEGMENT ==
                   LEDGER_PAGE,
               "one shard of a SITES segment is one page");
_Static_assert(sizeof(struct ledger_peak) == 16, "layout");
