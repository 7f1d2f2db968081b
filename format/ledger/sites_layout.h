/* SPDX-License-Identifier: Apache-2.0 */
/* sites_layout.h - call sites and their accounts in the ledger */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_units.h"

enum {
    LEDGER_SITES_PER_SEGMENT = 128,
    LEDGER_PEAKS_PER_SEGMENT = 4096,
};

enum ledger_site_kind {
    LEDGER_SITE_NONE = 0,  /* unused id */
    LEDGER_SITE_HEAP = 1,  /* malloc family, new and delete */
    LEDGER_SITE_MAP = 2,   /* anonymous mmap; not in heap totals */
    LEDGER_SITE_FILE = 3,  /* mmap of a file */
    LEDGER_SITE_STACK = 4, /* stack of a thread, charged to its creator */
    LEDGER_SITE_KINDS,     /* kinds from FILE on are address space: in no total
                              or peak */
};

/*
 * One call site. Several ids may name the same place (two threads that reached
 * it at the same time): readers add them up by address, module and kind. Id 0
 * is never used.
 */
struct ledger_site {
    uint32_t kind;    /* enum ledger_site_kind; stored last */
    uint32_t module;  /* index in the module table; 0: unknown */
    uint64_t address; /* return address of the call, or address of a tag */
    uint64_t inherited_blocks; /* live at fork, only in a child's ledger;
                                  their */
    uint64_t inherited_bytes;  /* frees count in `free_*` like all others */
    /*
     * Source location: FILE NUL FUNCTION NUL MODULE, with an empty module for
     * the program itself. `address` is then the last load address of its tag.
     * Length 0: the site has only an address. Its unseen_frees are the site's
     * blocks found to be freed unseen.
     */
    struct ledger_text place;
    uint32_t line;      /* line of FILE */
    uint32_t frame;     /* frame of the caller of the function that contains
                           `address`: index of a frame, 0 or LEDGER_FRAME_CUT */
    uint64_t peak_seen; /* highest live bytes seen by any read; readers only
                           raise it */
};

/*
 * The 128 sites of a SITES segment are followed by shard_count pages of 128
 * counters, in the same order. Only sums over all shards have a meaning; they
 * wrap at 2^64 and
 *
 *     live = inherited + allocated - freed
 *
 * For other kinds of sites, blocks are ranges of address space (an munmap in
 * the middle of one makes two) and bytes are whole pages.
 */
struct ledger_counter {
    uint64_t alloc_blocks;
    uint64_t alloc_bytes; /* as requested */
    uint64_t free_blocks;
    uint64_t free_bytes;
};

enum { LEDGER_GROWN_ROWS = 2 };

/*
 * Return the size of `rows` rows in bytes, rounded up to pages. With
 * LEDGER_FLAG_TEMPORARY, a row of 128 words per shard follows the counters: the
 * site's temporary blocks. With LEDGER_FLAG_GROWN, two rows per shard follow:
 * blocks that realloc grew, and by how many bytes.
 */
static inline uint64_t ledger_rows_size(uint32_t rows)
{
    uint64_t size =
        (uint64_t)rows * LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);

    return (size + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE;
}

/* A site's live blocks and bytes at the peak of the heap; by the site's id. */
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
