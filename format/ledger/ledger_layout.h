/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_layout.h - the ledger, byte by byte
 *
 * A ledger is the account book of one process image: its call sites, their
 * counters, the modules they lie in, and what could not be recorded. The
 * recorder writes it in shared memory with plain stores while the program runs;
 * readers may read it at any instant; a file on disk has the same bytes.
 * docs/ledger-format.md tells the same in prose and is the authority.
 *
 *     0            4096                       65536
 *     | header     | directory (1,920 entries) | segment | segment | ...
 *
 * Everything else lies in segments, which are page-aligned, never move, and are
 * named by the directory. An entry is valid once its `kind` is not zero: it is
 * stored last. All integers are little-endian; all offsets count bytes from the
 * start of the ledger.
 *
 * Here are the header and the directory; each kind of segment names the file
 * that has its structs. These are the bytes on every platform that writes a
 * ledger (asserts hold the offsets down); readers on any platform go through
 * ledger_reader.h, which trusts nothing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_units.h"
#include "format/ledger/resident_layout.h"

#define LEDGER_MAGIC      "TALLYLGR"
#define LEDGER_MAGIC_SIZE 8
#define LEDGER_MAJOR      1 /* a reader of another major version must refuse */
#define LEDGER_MINOR      9 /* a reader of an older minor version may ignore */
#define LEDGER_BYTE_ORDER UINT32_C(0x01020304)

enum {
    LEDGER_HEADER_SIZE = LEDGER_PAGE,
    LEDGER_MORE_ENTRIES = 32768, /* in the DIRECTORY segment */
    LEDGER_ENTRY_LIMIT = LEDGER_DIRECTORY_CAPACITY + LEDGER_MORE_ENTRIES,
    LEDGER_FIRST_SEGMENT = 65536,
    LEDGER_SITE_LIMIT = LEDGER_ENTRY_LIMIT * 128, /* no id is so high */

    LEDGER_TEXT_SEGMENT_SIZE = 65536,
    LEDGER_SAMPLE_CAPACITY = 1024, /* in a TIMELINE segment */
    LEDGER_COUNT_CAPACITY = 64,
    LEDGER_EVENTS_PER_SEGMENT = 1,
    LEDGER_INTERVALS = 40, /* powers of two that an interval can be */
};

/* What a directory entry points at. */
enum ledger_segment_kind {
    LEDGER_SEGMENT_NONE = 0,
    LEDGER_SEGMENT_SITES = 1,    /* sites_layout.h */
    LEDGER_SEGMENT_MODULES = 2,  /* modules_layout.h */
    LEDGER_SEGMENT_TEXT = 3,     /* bytes that struct ledger_text points into */
    LEDGER_SEGMENT_NOTICES = 4,  /* counts_layout.h */
    LEDGER_SEGMENT_TIMELINE = 5, /* struct ledger_sample[1024] */
    LEDGER_SEGMENT_REGIONS = 6,  /* regions_layout.h */
    LEDGER_SEGMENT_FRAMES = 7,   /* modules_layout.h */
    LEDGER_SEGMENT_PEAKS = 8,    /* sites_layout.h */
    LEDGER_SEGMENT_SIZES = 9,    /* counts_layout.h */
    LEDGER_SEGMENT_LIFETIMES = 10, /* lifetimes_layout.h */
    LEDGER_SEGMENT_DIRECTORY = 11, /* struct ledger_directory_entry[32768];
                                      the directory's last entry */
    LEDGER_SEGMENT_RESIDENCY = 12, /* residency_layout.h */
    LEDGER_SEGMENT_HISTORY = 13,   /* history_layout.h */
    LEDGER_SEGMENT_EVENTS = 14,    /* struct ledger_events, and its stream */
    LEDGER_SEGMENT_KINDS,
};

/*
 * vm.mem_profiling, as `tally ctl` writes it. Only OFF and ON may be written
 * while the program runs; NEVER cannot be undone.
 */
enum ledger_control {
    LEDGER_CONTROL_OFF = 0,
    LEDGER_CONTROL_ON = 1,
    LEDGER_CONTROL_NEVER = 2,
};

/* tally/zpl.h's profiler, as `tally ctl` writes it: from OFF to ON or back. */
enum ledger_profiler {
    LEDGER_PROFILER_NONE = 0, /* the process has none */
    LEDGER_PROFILER_OFF = 1,
    LEDGER_PROFILER_ON = 2,
};

enum ledger_flags {
    LEDGER_FLAG_COMPRESSED = 1u << 0, /* 16-bit references */
    LEDGER_FLAG_CPU_SHARDS = 1u << 1, /* CPUs own shards beside threads */
    LEDGER_FLAG_FORKED = 1u << 2,     /* opened by a forked child */
    LEDGER_FLAG_GRANULE_8 = 1u << 3,  /* another allocator than libc's */
    LEDGER_FLAG_STACKS = 1u << 4,     /* a site is a whole stack */
    LEDGER_FLAG_SAMPLED = 1u << 5,    /* accounts of the heap are estimates */
    LEDGER_FLAG_TEMPORARY = 1u << 6,  /* temporary blocks are counted */
    LEDGER_FLAG_GROWN = 1u << 7,      /* ... and those that realloc made grow */
    LEDGER_FLAG_ATTACHED = 1u << 8,   /* the program ran before: older blocks */
};

/* How the image's process ended. */
enum ledger_end {
    LEDGER_END_UNKNOWN = 0, /* or it runs */
    LEDGER_END_EXITED = 1,  /* `end_code` is its exit status */
    LEDGER_END_KILLED = 2,  /* ... the number of the signal */
};

/* Changes of live_bytes that have not been added to it yet. */
struct ledger_total {
    int64_t room;     /* it may grow by; LEDGER_TOTAL_BATCH at the highest */
    int64_t highest;  /* most there was more than at the last addition, as a
                         free noted it */
    uint64_t is_used; /* 0 or 1 */
    int64_t rise_at;  /* it is added when the highest is so much, */
    int64_t fall_at;  /* ... or there is so much room */
    int64_t others;   /* what was live at the last addition, without what it
                         held from then on; since minor version 6 */
    int64_t maps;     /* of which maps; since minor version 7 */
    uint64_t reserved;
};

enum { LEDGER_TOTAL_BATCH = 32768 }; /* bytes; from so many on it is added */

/* Half of the samples of what lives: ledger/blocks/sample_accounts.h. */
struct ledger_sample_half {
    int64_t live;      /* bytes that it shows */
    int64_t most;      /* ... and that it showed at most */
    int64_t meanwhile; /* that the other one showed when it last did so */
};

struct ledger_header {
    uint8_t magic[LEDGER_MAGIC_SIZE];
    uint16_t major;
    uint16_t minor;
    uint32_t byte_order; /* LEDGER_BYTE_ORDER, as the writer stores it */
    uint64_t used_bytes; /* end of the last segment handed out */

    /* 24: control */
    uint32_t control; /* enum ledger_control; others may write it */
    uint32_t flags;   /* enum ledger_flags */

    /* 32: geometry */
    uint32_t shard_count;        /* counter pages in each SITES segment */
    uint32_t directory_capacity; /* LEDGER_DIRECTORY_CAPACITY */
    uint32_t directory_used; /* entries handed out; may run ahead of valid */
    uint32_t site_count;     /* ids handed out, from 1; may run ahead */
    uint32_t module_count;   /* indices handed out, from 1 */
    uint32_t notice_count;   /* from 1 */

    /* 56: the process image */
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start_ns;       /* CLOCK_REALTIME when the ledger was opened */
    uint64_t start_ticks;    /* field 22 of /proc/PID/stat: with the pid it
                                 names the process for ever; 0 unknown */
    uint32_t writer_version; /* Tally's own, major << 16 | minor << 8 | patch */
    uint32_t ended;          /* 1 once tally record has seen the image end */
    uint64_t end_ns;         /* CLOCK_REALTIME then; 0 while running */
    struct ledger_text program;      /* path of the executable */
    struct ledger_text command_line; /* argv joined by NUL */

    /* 128: the profiler of regions */
    uint32_t
        memory_profiler; /* enum ledger_profiler; others may write it, too */

    uint32_t peak_has_maps; /* 1: peak_bytes, peak_copied, peak_noted, PEAKS
                               and `others` are of heap and maps together; 0:
                               of the heap alone, as there are no maps yet */

    /* 136: the most that was ever held, as the recorder saw it itself */
    int64_t peak_bytes;        /* 0: it was not watched */
    uint64_t peak_uncertainty; /* by which it may be too low, or too high */
    uint64_t peak_copied;      /* live bytes when PEAKS was written */
    uint64_t peak_copied_ns;   /* CLOCK_REALTIME then */
    int64_t live_bytes; /* of the heap, without what totals[] still hold */

    /* 176: of a sampled ledger */
    uint64_t sample_interval; /* bytes between samples, on average */
    uint64_t sample_volume;   /* bytes seen allocated, in all */

    int64_t sample_most; /* live bytes that samples showed at most */
    struct ledger_sample_half sample_halves[2];

    /*
     * 248: not 0: so much was live at the peak, and PEAKS is what each site
     * held more then than now; peak_copied is 0.
     */
    uint64_t peak_noted;

    /* 256: with peak_has_maps */
    int64_t map_bytes; /* live bytes of maps */
    int64_t heap_peak; /* as peak_bytes, of the heap alone */

    /* 272: since minor version 8 */
    uint32_t end; /* enum ledger_end */
    uint32_t end_code;

    /*
     * 280: since minor version 9, of a sampled ledger with a budget; its
     * interval is what was last chosen. What samples cost, as far as it was
     * added up, is of the time that its threads could have had meanwhile.
     */
    uint32_t sample_budget; /* millionths of that; 0: none */
    uint32_t reserved_of_budget;
    uint64_t sample_cost_ns;
    uint64_t sample_capacity_ns;

    /* 304: since minor version 9, of limits_set_global(); 0: there is none */
    uint64_t live_limit;
    uint64_t live_held; /* when a thread last looked how near it is */

    /* 320: likewise, of a copy by the black box; 0: there is none */
    uint64_t copied_limit;
    uint64_t copied_used; /* bytes of it, when the copy was due */

    uint8_t reserved[512 - 336];

    /* 512 */
    uint64_t counts[LEDGER_COUNT_CAPACITY]; /* by enum ledger_count */

    /* 1024: of threads that own a shard, by its number; 0: of all others */
    struct ledger_total totals[LEDGER_TOTAL_CAPACITY];

    /* 1600: bytes of sample_volume by log2 of the interval that was in force;
       with a budget, since minor version 9 */
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
    uint32_t index;  /* SITES: ids [128 * index, 128 * index + 127]; likewise
                        for all others, by how many a segment holds */
    uint64_t offset; /* multiple of LEDGER_PAGE */
    uint64_t size;   /* bytes */
    uint64_t reserved;
};

/*
 * The heap's totals at one time. The recorder only makes room; tally record
 * takes the samples. Their order in the segment means nothing, and two of one
 * time are one: so that it can be thinned out in place and is valid meanwhile.
 */
struct ledger_sample {
    uint64_t ns; /* CLOCK_REALTIME; 0: not in use; stored last */
    uint64_t live_bytes;
    uint64_t live_blocks;
    uint64_t alloc_bytes; /* since the ledger was opened */
};

/* The last events of the program, and behind it a stream of CTF. */
struct ledger_events {
    uint64_t size;        /* bytes of the stream */
    uint64_t events;      /* in it */
    uint64_t overwritten; /* older ones */
    uint64_t first_ns;    /* CLOCK_MONOTONIC of the first; 0: none */
    uint64_t last_ns;     /* ... and of the last */
    uint64_t reserved[3];
};

_Static_assert(sizeof(struct ledger_events) == 64, "layout");
_Static_assert(offsetof(struct ledger_header, control) == 24, "layout");
_Static_assert(offsetof(struct ledger_header, shard_count) == 32, "layout");
_Static_assert(offsetof(struct ledger_header, pid) == 56, "layout");
_Static_assert(offsetof(struct ledger_header, program) == 96, "layout");
_Static_assert(offsetof(struct ledger_header, peak_bytes) == 136, "layout");
_Static_assert(offsetof(struct ledger_header, live_bytes) == 168, "layout");
_Static_assert(offsetof(struct ledger_header, sample_volume) == 184, "layout");
_Static_assert(offsetof(struct ledger_header, map_bytes) == 256, "layout");
_Static_assert(offsetof(struct ledger_header, sample_budget) == 280, "layout");
_Static_assert(offsetof(struct ledger_header, counts) == 512, "layout");
_Static_assert(offsetof(struct ledger_header, totals) == 1024, "layout");
_Static_assert(offsetof(struct ledger_header, sample_volumes) == 1600,
               "layout");
_Static_assert(offsetof(struct ledger_header, shadow) == 3824, "layout");
_Static_assert(offsetof(struct ledger_header, map_table) == 3832, "layout");
_Static_assert(offsetof(struct ledger_header, resident) == 3840, "layout");
_Static_assert(sizeof(struct ledger_total) == 64, "layout");
_Static_assert(sizeof(struct ledger_header) == LEDGER_HEADER_SIZE, "layout");
_Static_assert(sizeof(struct ledger_directory_entry) == 32, "layout");
_Static_assert(LEDGER_HEADER_SIZE + LEDGER_DIRECTORY_CAPACITY * 32 ==
                   LEDGER_FIRST_SEGMENT,
               "layout");
_Static_assert(sizeof(struct ledger_sample) == 32, "layout");
