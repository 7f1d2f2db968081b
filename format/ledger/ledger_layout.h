/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_layout.h - layout of the ledger
 *
 * A ledger holds the accounts of one exec image: its call sites, their
 * counters, their modules, and counts of lost events. The recorder writes it in
 * shared memory with plain stores while the program runs; readers may read it
 * at any time; a file on disk has the same bytes. docs/ledger-format.md is the
 * specification.
 *
 *     0            4096                       65536
 *     | header     | directory (1,920 entries) | segment | segment | ...
 *
 * All other data lies in segments, which are page-aligned, never move, and are
 * listed in the directory. An entry is valid once its `kind`, stored last, is
 * not zero. All integers are little-endian; all offsets are bytes from the
 * start of the ledger.
 *
 * This file defines the header and the directory; segments_layout.h and
 * counts_layout.h define the structs in segments. The layout is the same on
 * every platform that writes a ledger (asserts check the offsets). Readers use
 * ledger_reader.h, which trusts nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"
#include "format/ledger/segments_layout.h"

#define LEDGER_MAGIC      "TALLYLGR"
#define LEDGER_MAGIC_SIZE 8
#define LEDGER_MAJOR      1  /* readers must refuse other major versions */
#define LEDGER_MINOR      11 /* older readers may ignore additions */
#define LEDGER_BYTE_ORDER UINT32_C(0x01020304)

enum {
    LEDGER_HEADER_SIZE = LEDGER_PAGE,
    LEDGER_MORE_ENTRIES = 32768, /* in the DIRECTORY segment */
    LEDGER_ENTRY_LIMIT = LEDGER_DIRECTORY_CAPACITY + LEDGER_MORE_ENTRIES,
    LEDGER_FIRST_SEGMENT = 65536,
    LEDGER_SITE_LIMIT = LEDGER_ENTRY_LIMIT * 128, /* above all ids */

    LEDGER_TEXT_SEGMENT_SIZE = 65536,
    LEDGER_SAMPLE_CAPACITY = 1024, /* in a TIMELINE segment */
    LEDGER_COUNT_CAPACITY = 64,
    LEDGER_EVENTS_PER_SEGMENT = 1,
    LEDGER_INTERVALS = 40, /* powers of two that an interval can be */
};

/* Kinds of segments in the directory. */
enum ledger_segment_kind {
    LEDGER_SEGMENT_NONE = 0,
    LEDGER_SEGMENT_SITES = 1,
    LEDGER_SEGMENT_MODULES = 2,
    LEDGER_SEGMENT_TEXT = 3, /* bytes of struct ledger_text */
    LEDGER_SEGMENT_NOTICES = 4,
    LEDGER_SEGMENT_TIMELINE = 5, /* struct ledger_sample[1024] */
    LEDGER_SEGMENT_REGIONS = 6,
    LEDGER_SEGMENT_FRAMES = 7,
    LEDGER_SEGMENT_PEAKS = 8,
    LEDGER_SEGMENT_SIZES = 9,
    LEDGER_SEGMENT_LIFETIMES = 10,
    LEDGER_SEGMENT_DIRECTORY = 11, /* struct ledger_directory_entry[32768]; its
                                      entry is the directory's last */
    LEDGER_SEGMENT_RESIDENCY = 12,
    LEDGER_SEGMENT_HISTORY = 13, /* history_reader.h */
    LEDGER_SEGMENT_EVENTS = 14,  /* struct ledger_events, then its stream */
    LEDGER_SEGMENT_MAP_PEAKS = 15,
    LEDGER_SEGMENT_KINDS,
};

/* vm.mem_profiling, written by `tally ctl`. While the program runs, only OFF
   and ON may be written; NEVER cannot be undone. */
enum ledger_control {
    LEDGER_CONTROL_OFF = 0,
    LEDGER_CONTROL_ON = 1,
    LEDGER_CONTROL_NEVER = 2,
};

/* State of tally/zpl.h's profiler. `tally ctl` switches between OFF and ON. */
enum ledger_profiler {
    LEDGER_PROFILER_NONE = 0, /* the process has no profiler */
    LEDGER_PROFILER_OFF = 1,
    LEDGER_PROFILER_ON = 2,
};

enum ledger_flags {
    LEDGER_FLAG_COMPRESSED = 1u << 0, /* 16-bit references */
    LEDGER_FLAG_CPU_SHARDS = 1u << 1, /* CPUs own shards besides threads */
    LEDGER_FLAG_FORKED = 1u << 2,     /* opened by a forked child */
    LEDGER_FLAG_GRANULE_8 = 1u << 3,  /* an allocator other than libc's */
    LEDGER_FLAG_STACKS = 1u << 4,     /* a site is a whole stack */
    LEDGER_FLAG_SAMPLED = 1u << 5,    /* accounts of the heap are estimates */
    LEDGER_FLAG_TEMPORARY = 1u << 6,  /* temporary blocks are counted */
    LEDGER_FLAG_GROWN = 1u << 7,      /* ... and blocks grown by realloc */
    LEDGER_FLAG_ATTACHED = 1u << 8,   /* the program ran before: it has older
                                         blocks */
    LEDGER_FLAG_PAUSED = 1u << 9,     /* `control` was OFF for a time; set by
                                         the writer of OFF */
};

/* End of the process. */
enum ledger_end {
    LEDGER_END_UNKNOWN = 0, /* or still running */
    LEDGER_END_EXITED = 1,  /* `end_code` is its exit status */
    LEDGER_END_KILLED = 2,  /* `end_code` is the signal */
};

/* Changes of live_bytes that are not added to it yet. */
struct ledger_total {
    int64_t room;     /* bytes it may still grow by; LEDGER_TOTAL_BATCH at the
                         highest point, more below it */
    int64_t highest;  /* highest excess over the last addition, as noted by a
                         free */
    uint64_t is_used; /* 0 or 1 */
    int64_t rise_at;  /* it is added when the highest reaches this, */
    int64_t fall_at;  /* ... or when `room` reaches this */
    int64_t others;   /* live bytes of the heap at the last addition, without
                         those it still held; since minor version 6 */
    int64_t maps;     /* live bytes of maps then; since minor version 7 */
    uint64_t reserved;
};

enum { LEDGER_TOTAL_BATCH = 32768 }; /* bytes; larger changes are added */

/* Half of the samples of live blocks: ledger/blocks/sample_accounts.h. */
struct ledger_sample_half {
    int64_t live;      /* live bytes shown by this half */
    int64_t most;      /* their peak */
    int64_t meanwhile; /* live bytes of the other half at that time */
};

/* Live bytes of maps. */
struct ledger_map_bytes {
    int64_t accessible;
    int64_t reserved; /* mapped without access */
};

struct ledger_header {
    uint8_t magic[LEDGER_MAGIC_SIZE];
    uint16_t major;
    uint16_t minor;
    uint32_t byte_order; /* LEDGER_BYTE_ORDER, as stored by the writer */
    uint64_t used_bytes; /* end of the last segment allocated */

    /* 24: control */
    uint32_t control; /* enum ledger_control; others may write it */
    uint32_t flags;   /* enum ledger_flags */

    /* 32: geometry */
    uint32_t shard_count;        /* counter pages in each SITES segment */
    uint32_t directory_capacity; /* LEDGER_DIRECTORY_CAPACITY */
    uint32_t directory_used; /* allocated entries; may exceed the valid ones */
    uint32_t site_count; /* allocated ids, from 1; may exceed the valid ones */
    uint32_t module_count; /* allocated indices, from 1 */
    uint32_t notice_count; /* from 1 */

    /* 56: the exec image */
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start_ns;       /* CLOCK_REALTIME when the ledger was opened */
    uint64_t start_ticks;    /* field 22 of /proc/PID/stat, which with the pid
                                identifies the process; 0: unknown */
    uint32_t writer_version; /* version of Tally, major << 16 | minor << 8 |
                                patch */
    uint32_t ended;          /* 1 once tally record has seen the image end */
    uint64_t end_ns;         /* CLOCK_REALTIME at the end; 0 while running */
    struct ledger_text program;      /* path of the executable */
    struct ledger_text command_line; /* argv joined by NUL */

    /* 128: the profiler of regions */
    uint32_t memory_profiler; /* enum ledger_profiler; others may write it */

    uint32_t peak_has_maps; /* minor versions 7 to 9: 1: peak_bytes,
                               peak_copied, peak_noted, PEAKS and `others` cover
                               heap and maps; else 0 */

    /* 136: the peak, as measured by the recorder */
    int64_t peak_bytes;        /* 0: not measured */
    uint64_t peak_uncertainty; /* +- bytes of peak_bytes */
    uint64_t peak_copied;      /* live bytes when PEAKS was written */
    uint64_t peak_copied_ns;   /* CLOCK_REALTIME when PEAKS was written */
    int64_t live_bytes; /* live bytes of the heap, without pending changes in
                           totals[] */

    /* 176: of a sampled ledger */
    uint64_t sample_interval; /* mean bytes between samples */
    uint64_t sample_volume;   /* allocated bytes seen (total) */

    int64_t sample_most; /* peak of live bytes shown by samples */
    struct ledger_sample_half sample_halves[2];

    /* 248: if not 0, live bytes at the peak; PEAKS is then the excess of each
       site at the peak over now, and peak_copied is 0 */
    uint64_t peak_noted;

    /* 256: with peak_has_maps or map_peak_number */
    int64_t map_bytes; /* live bytes of maps */
    int64_t heap_peak; /* with peak_has_maps: like peak_bytes, of the heap */

    /* 272: since minor version 8 */
    uint32_t end; /* enum ledger_end */
    uint32_t end_code;

    /*
     * 280: since minor version 9, of a sampled ledger with a budget;
     * sample_interval is the one chosen last. The cost of samples is relative
     * to the CPU time available to the threads.
     */
    uint32_t sample_budget; /* millionths of capacity; 0: none */
    uint32_t reserved_of_budget;
    uint64_t sample_cost_ns;
    uint64_t sample_capacity_ns;

    /* 304: since minor version 9, of limits_set_global(); 0: none */
    uint64_t live_limit;
    uint64_t live_held; /* live bytes when a thread last checked the limit */

    /* 320: since minor version 9, of a copy by the black box; 0: none */
    uint64_t copied_limit;
    uint64_t copied_used; /* bytes in use when the copy was triggered */

    /* 336: since minor version 10; 0 before the first map */
    int64_t peak_with_maps; /* like peak_bytes, of heap and maps together */
    struct ledger_map_bytes map_now;
    struct ledger_map_bytes map_peak; /* most accessible bytes, and then most
                                         reserved ones */
    uint32_t map_peak_number; /* from 1: MAP_PEAKS of other numbers are of
                                 earlier peaks */
    uint32_t map_reading;     /* from 1, by tally record: the reading with most
                                 resident maps; 0: none */
    uint64_t map_resident;    /* their resident bytes then */

    uint8_t reserved[512 - 392];

    /* 512 */
    uint64_t counts[LEDGER_COUNT_CAPACITY]; /* by enum ledger_count */

    /* 1024: of threads that own a shard, by its number; 0: of all others */
    struct ledger_total totals[LEDGER_TOTAL_CAPACITY];

    /* 1600: bytes of sample_volume by log2 of the interval in force; with a
       budget, since minor version 9 */
    uint64_t sample_volumes[LEDGER_INTERVALS];

    uint8_t reserved_after_totals[3824 - 1920];

    /* 3824: address of a struct ledger_shadow in the process; 0: none */
    uint64_t shadow;

    /* 3832: address of a struct ledger_map_table in the process; 0: none */
    uint64_t map_table;
    struct ledger_resident resident[LEDGER_RESIDENT_CAPACITY];
};

struct ledger_directory_entry {
    uint32_t kind;   /* enum ledger_segment_kind; stored last */
    uint32_t index;  /* SITES: ids [128 * index, 128 * index + 127]; other kinds
                        accordingly, by their records per segment */
    uint64_t offset; /* multiple of LEDGER_PAGE */
    uint64_t size;   /* bytes */
    uint64_t reserved;
};

/*
 * Totals of the heap at one time. The recorder only allocates the segment;
 * tally record stores the data points. Their order has no meaning, and two of
 * the same time count once, so that the segment stays valid while it is thinned
 * out in place.
 */
struct ledger_sample {
    uint64_t ns; /* CLOCK_REALTIME; 0: not in use; stored last */
    uint64_t live_bytes;
    uint64_t live_blocks;
    uint64_t alloc_bytes; /* since the ledger was opened */
};

/* Last events of the program; a CTF stream follows. */
struct ledger_events {
    uint64_t size;        /* size of the stream in bytes */
    uint64_t events;      /* events in the stream */
    uint64_t overwritten; /* older events, overwritten */
    uint64_t first_ns;    /* CLOCK_MONOTONIC of the first event; 0: none */
    uint64_t last_ns;     /* ... and of the last */
    uint64_t reserved[3];
};

STATIC_ASSERT(sizeof(struct ledger_events) == 64);
STATIC_ASSERT(offsetof(struct ledger_header, control) == 24);
STATIC_ASSERT(offsetof(struct ledger_header, shard_count) == 32);
STATIC_ASSERT(offsetof(struct ledger_header, pid) == 56);
STATIC_ASSERT(offsetof(struct ledger_header, program) == 96);
STATIC_ASSERT(offsetof(struct ledger_header, peak_bytes) == 136);
STATIC_ASSERT(offsetof(struct ledger_header, live_bytes) == 168);
STATIC_ASSERT(offsetof(struct ledger_header, sample_volume) == 184);
STATIC_ASSERT(offsetof(struct ledger_header, map_bytes) == 256);
STATIC_ASSERT(offsetof(struct ledger_header, sample_budget) == 280);
STATIC_ASSERT(offsetof(struct ledger_header, peak_with_maps) == 336);
STATIC_ASSERT(offsetof(struct ledger_header, counts) == 512);
STATIC_ASSERT(offsetof(struct ledger_header, totals) == 1024);
STATIC_ASSERT(offsetof(struct ledger_header, sample_volumes) == 1600);
STATIC_ASSERT(offsetof(struct ledger_header, shadow) == 3824);
STATIC_ASSERT(offsetof(struct ledger_header, map_table) == 3832);
STATIC_ASSERT(offsetof(struct ledger_header, resident) == 3840);
STATIC_ASSERT(sizeof(struct ledger_total) == 64);
STATIC_ASSERT(sizeof(struct ledger_header) == LEDGER_HEADER_SIZE);
STATIC_ASSERT(sizeof(struct ledger_directory_entry) == 32);
STATIC_ASSERT(LEDGER_HEADER_SIZE + LEDGER_DIRECTORY_CAPACITY * 32 ==
              LEDGER_FIRST_SEGMENT);
STATIC_ASSERT(sizeof(struct ledger_sample) == 32);
