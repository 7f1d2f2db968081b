/* SPDX-License-Identifier: Apache-2.0 */
/* segments_layout.h - layout of the ledger's segments */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"

/* Common units of all segments of a ledger. */

enum {
    LEDGER_PAGE = 4096,
    LEDGER_DIRECTORY_CAPACITY = 1920, /* entries in the first directory */
    LEDGER_TOTAL_CAPACITY = 9,        /* of the header */
};

/* Bytes in a TEXT segment; not NUL-terminated. Length 0: no text. */
struct ledger_text {
    uint64_t offset;       /* from the start of the ledger */
    uint32_t length;       /* bytes */
    uint32_t unseen_frees; /* of a site's place: its unseen frees; else
                              reserved */
};

/* Call sites and their accounts in the ledger. */

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
    /* live at the fork, only in a child's ledger; their frees count in `free_*`
       like all others */
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
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

/* A MAP site at the peaks of maps; by the site's id. */
struct ledger_map_peak {
    uint32_t number; /* map_peak_number, or the next two are void */
    int32_t pieces;  /* excess at that peak over now */
    int64_t bytes;
    uint64_t resident; /* bytes at `reading` */
    uint32_t reading;  /* map_reading, or none were resident */
    uint32_t reserved;
};

STATIC_ASSERT(sizeof(struct ledger_site) == 64);
STATIC_ASSERT(offsetof(struct ledger_site, peak_seen) == 56);
STATIC_ASSERT(sizeof(struct ledger_counter) == 32);
STATIC_ASSERT(sizeof(struct ledger_counter) * LEDGER_SITES_PER_SEGMENT ==
              LEDGER_PAGE);
STATIC_ASSERT(sizeof(struct ledger_peak) == 16);
STATIC_ASSERT(sizeof(struct ledger_map_peak) == 32);

/* Modules and call stacks in the ledger. */

enum {
    LEDGER_MODULES_PER_SEGMENT = 128,
    LEDGER_BUILD_ID_CAPACITY = 20,
    LEDGER_FRAMES_PER_SEGMENT = 4096,
    LEDGER_FRAME_SEGMENTS = 8192, /* 16 frames for each of 2^21 stacks */
};

enum ledger_module_state {
    LEDGER_MODULE_NONE = 0,
    LEDGER_MODULE_LOADED = 1,
    LEDGER_MODULE_UNLOADED = 2, /* by dlclose; its live blocks remain */
};

/*
 * A loaded ELF file, the executable included; or a pair of a label, with
 * KEY=VALUE as path: it has no addresses, and each frame in it stands for the
 * pair. Index 0 is never used.
 */
struct ledger_module {
    uint32_t state;         /* enum ledger_module_state; stored last */
    uint32_t build_id_size; /* 0: none */
    uint64_t start;         /* [start, end) contains all its segments */
    uint64_t end;
    uint64_t bias; /* run-time address minus address in the file */
    struct ledger_text path;
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    uint32_t is_label; /* 1: a pair of a label; since minor version 7 */
    uint8_t reserved[128 - 72];
};

/* A call in a stack and the frame of its caller: a tree whose leaves are sites.
   Index 0 is never used; a parent's index is lower. */
struct ledger_frame {
    uint32_t parent;  /* 0: no caller, the stack is complete */
    uint32_t module;  /* index in the module table; 0: unknown */
    uint64_t address; /* return address; stored last; 0: not in use */
};

/* Parent of a truncated stack. */
#define LEDGER_FRAME_CUT UINT32_MAX

/* Address of a frame that is a pair of a label; no call returns there. */
#define LEDGER_PAIR_ADDRESS 1

STATIC_ASSERT(sizeof(struct ledger_module) == 128);
STATIC_ASSERT(sizeof(struct ledger_frame) == 16);

/* Slabs and heaps in the ledger. */

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

STATIC_ASSERT(sizeof(struct ledger_region) == 128);

/*
 * Estimates of a site from its samples.
 *
 * LIFETIMES segments exist in ledgers with the flag SAMPLED.
 * docs/ledger-format.md says which blocks are sampled and with what weight. The
 * estimates are those of Horvitz and Thompson, unbiased for any mix of sizes.
 * Counting n / p bytes for a block with n samples would be unbiased, too; s / q
 * is its mean for a sampled block, so that its variance is never larger:
 * s^2 (1 - q) / q instead of s (1 - p) / p.
 *
 * A block adds the same amount when it is allocated and when it is freed,
 * rounding included.
 */

/* A sum over sampled blocks. */
struct ledger_estimate {
    uint64_t samples; /* sampled blocks */
    uint64_t blocks;  /* blocks they stand for */
    uint64_t bytes;
    uint64_t seen;            /* bytes of the sampled blocks; 0 before 1.11 */
    uint64_t blocks_variance; /* bits of an IEEE binary64, as is the next */
    uint64_t bytes_variance;
};

/* Blocks that a sum covers. */
enum ledger_life {
    LEDGER_LIFE_ALLOCATED = 0, /* all blocks */
    LEDGER_LIFE_YOUNG = 1,     /* born young: up to 256 words */
    LEDGER_LIFE_PROMOTED = 2,  /* young blocks that outlived the epoch of their
                                  thread: 262,144 words of allocations */
    LEDGER_LIFE_FREED = 3, /* first of the sums of freed blocks, by lifetime */
    /* sums whose `seen` has the bits of a variance of inherited blocks that
       are live: of their number, and of their bytes */
    LEDGER_LIFE_INHERITED_BLOCKS = LEDGER_LIFE_YOUNG,
    LEDGER_LIFE_INHERITED_BYTES = LEDGER_LIFE_PROMOTED,
};

/* A lifetime is the number of bytes allocated between allocation and free.
   Class 0 is 0 bytes, class n below 256 * 4^n, the last one unlimited. */
enum {
    LEDGER_LIFE_CLASSES = 13,
    LEDGER_LIFE_COUNT = 16,
    LEDGER_LIFE_FIRST_LIMIT = 1024, /* of class 1 */
    LEDGER_YOUNG_LIMIT = 2048,      /* bytes of a block that is born young */
};

/* Estimates of one site, by its id. */
struct ledger_lifetimes {
    struct ledger_estimate sums[LEDGER_LIFE_COUNT]; /* by enum ledger_life */
};

STATIC_ASSERT(sizeof(struct ledger_estimate) == 48);
STATIC_ASSERT(LEDGER_LIFE_FREED + LEDGER_LIFE_CLASSES == LEDGER_LIFE_COUNT);

/* Return the upper limit of lifetimes in a class, exclusive; 1 for class 0. */
static inline uint64_t ledger_life_limit(unsigned life_class)
{
    if (life_class == 0)
        return 1;
    return life_class == LEDGER_LIFE_CLASSES - 1
               ? UINT64_MAX
               : (uint64_t)LEDGER_LIFE_FIRST_LIMIT << 2 * (life_class - 1);
}

static inline unsigned ledger_life_class(uint64_t lifetime)
{
    unsigned life_class = 0;

    while (life_class < LEDGER_LIFE_CLASSES - 1 &&
           lifetime >= ledger_life_limit(life_class))
        life_class++;
    return life_class;
}

/*
 * Resident pages by stack.
 *
 * This file defines the RESIDENCY segments of a ledger, and the shadow in the
 * process from which they are computed. A reader of a live process's ledger may
 * add them to its copy: see sampling.h.
 */

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

STATIC_ASSERT(sizeof(struct ledger_residency) == 64);
STATIC_ASSERT(sizeof(struct ledger_shadow) == LEDGER_SHADOW_SLOTS * 20 + 16);

/*
 * Resident memory in the ledger.
 *
 * tally record reads a process's resident memory by use from the kernel while
 * the program runs (sampling.h) and stores it in the ledger's header
 * (ledger_layout.h).
 */

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
    LEDGER_MAP_RESERVED = 1 << 28, /* mapped without access */
    LEDGER_MAP_STACK = 1 << 29,    /* a thread's stack */
    LEDGER_MAP_PARENTS = 1 << 30,  /* shared with a parent, which accounts for
                                     it */
    LEDGER_MAP_SITE = (1 << 27) - 1,
};

STATIC_ASSERT(sizeof(struct ledger_resident) == 128);
STATIC_ASSERT(sizeof(struct ledger_map) == 24);
