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
 * These structs are the bytes on every platform that writes a ledger (the
 * asserts below hold the offsets down); readers on any platform go through
 * format/ledger/ledger_reader.h, which trusts nothing. This file is long because these
 * structs are one format.
 */
#ifndef TALLY_FORMAT_LEDGER_LAYOUT_H
#define TALLY_FORMAT_LEDGER_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/resident_layout.h"

#define LEDGER_MAGIC      "TALLYLGR"
#define LEDGER_MAGIC_SIZE 8
#define LEDGER_MAJOR      1 /* a reader of another major version must refuse */
#define LEDGER_MINOR      6 /* a reader of an older minor version may ignore */
#define LEDGER_BYTE_ORDER UINT32_C(0x01020304)

enum {
    LEDGER_PAGE = 4096,
    LEDGER_HEADER_SIZE = LEDGER_PAGE,
    LEDGER_DIRECTORY_CAPACITY = 1920, /* at its begin */
    LEDGER_MORE_ENTRIES = 32768,      /* in the DIRECTORY segment */
    LEDGER_ENTRY_LIMIT = LEDGER_DIRECTORY_CAPACITY + LEDGER_MORE_ENTRIES,
    LEDGER_FIRST_SEGMENT = 65536,

    LEDGER_SITES_PER_SEGMENT = 128,
    LEDGER_MODULES_PER_SEGMENT = 128,
    LEDGER_NOTICES_PER_SEGMENT = 128,
    LEDGER_REGIONS_PER_SEGMENT = 128,
    LEDGER_FRAMES_PER_SEGMENT = 4096,
    LEDGER_FRAME_SEGMENTS = 8192, /* 16 frames for each of 2^21 stacks */
    LEDGER_PEAKS_PER_SEGMENT = 4096,
    LEDGER_SIZE_CLASSES = 64, /* in a SIZES segment, for each shard */
    LEDGER_TEXT_SEGMENT_SIZE = 65536,
    LEDGER_SAMPLE_CAPACITY = 1024, /* in a TIMELINE segment */
};

/* What a directory entry points at. */
enum ledger_segment_kind {
    LEDGER_SEGMENT_NONE = 0,
    LEDGER_SEGMENT_SITES = 1,    /* struct ledger_site[128], then counters */
    LEDGER_SEGMENT_MODULES = 2,  /* struct ledger_module[128] */
    LEDGER_SEGMENT_TEXT = 3,     /* bytes that struct ledger_text points into */
    LEDGER_SEGMENT_NOTICES = 4,  /* struct ledger_notice[128] */
    LEDGER_SEGMENT_TIMELINE = 5, /* struct ledger_sample[1024] */
    LEDGER_SEGMENT_REGIONS = 6,  /* struct ledger_region[128] */
    LEDGER_SEGMENT_FRAMES = 7,   /* struct ledger_frame[4096] */
    LEDGER_SEGMENT_PEAKS = 8,    /* struct ledger_peak[4096] */
    LEDGER_SEGMENT_SIZES = 9,    /* uint64_t[64] for each shard */
    LEDGER_SEGMENT_LIFETIMES = 10, /* lifetimes_layout.h */
    LEDGER_SEGMENT_DIRECTORY = 11, /* struct ledger_directory_entry[32768];
                                      the directory's last entry */
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
};

/*
 * What could not be recorded, or was seen and is no account: one counter each
 * in ledger_header.counts[], in this order. Names are what --json prints under
 * "lost". A sentence ends every report in which its counter is not zero, with
 * the first of [ONE|MANY] for one. New ones are added at the end.
 */
#define LEDGER_COUNT_LIST(X)                                                   \
    X(failed_allocations, "request[|s] that the allocator refused")            \
    X(unseen_frees, "block[|s] freed where Tally could not see it")            \
    X(foreign_frees,                                                           \
      "free[|s] of [a block that was|blocks that were] never recorded")        \
    X(lost_allocations, "allocation[|s] not recorded, for want of memory")     \
    X(lost_frees, "free[|s] not recorded")                                     \
    X(lost_sites, "call site[|s] not recorded, for want of room")              \
    X(lost_modules, "module[|s] not recorded, for want of room")               \
    X(lost_maps, "mmap, munmap or mremap call[|s] not recorded")               \
    X(raw_map_calls,                                                           \
      "mmap-family call[|s] made through syscall(), not recorded")             \
    X(lost_notices, "notice[|s] dropped, for want of room")                    \
    X(unrecorded_forks,                                                        \
      "forked child[|ren] that did not reach the recording: what became "      \
      "another user, changed its root or locked itself in needs a tally "      \
      "record of its own, there; or no descriptor was free")                   \
    X(truncated_stacks,                                                        \
      "stack[|s] that could not be followed to [its|their] end")               \
    X(lost_events,                                                             \
      "event[|s] that [is|are] not in the trace, for want of room")            \
    X(lost_stacks,                                                             \
      "time[|s] that [a stack was|stacks were] not told apart, for want of "   \
      "room: charged to the call alone")                                       \
    X(unrecorded_images,                                                       \
      "process image[|s] that opened no ledger: [it|they] could not, for "     \
      "want of memory, address space or descriptors, or [was|were] killed or " \
      "left behind as [it|they] began")                                        \
    X(left_running,                                                            \
      "process[|es] that ran on and had opened no ledger: what [it does|they " \
      "do] from then on is in no account")

enum ledger_count {
#define LEDGER_COUNT_ENUM(name, sentence) LEDGER_COUNT_##name,
    LEDGER_COUNT_LIST(LEDGER_COUNT_ENUM)
#undef LEDGER_COUNT_ENUM
        LEDGER_COUNT_COUNT
};

enum { LEDGER_COUNT_CAPACITY = 64 };

/* Bytes in a TEXT segment; not NUL-terminated. length 0: no text. */
struct ledger_text {
    uint64_t offset;       /* from the start of the ledger */
    uint32_t length;       /* bytes */
    uint32_t unseen_frees; /* of a site's place: what it says; else reserved */
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
    uint64_t reserved[2];
};

enum {
    LEDGER_TOTAL_CAPACITY = 9,
    LEDGER_TOTAL_BATCH = 32768, /* bytes; from so many on it is added */
};

/* Half of the samples of what lives: ledger/record/sample_peak.h. */
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

    uint32_t reserved_word;

    /* 136: the most that the heap ever held, as the recorder saw it itself */
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
     * 248: not 0: so much was live at the peak, and PEAKS is what each site held
     * more then than now; peak_copied is 0.
     */
    uint64_t peak_noted;

    uint8_t reserved[512 - 256];

    /* 512 */
    uint64_t counts[LEDGER_COUNT_CAPACITY]; /* by enum ledger_count */

    /* 1024: of threads that own a shard, by its number; 0: of all others */
    struct ledger_total totals[LEDGER_TOTAL_CAPACITY];

    uint8_t reserved_after_totals[3832 - 1600];

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

enum ledger_site_kind {
    LEDGER_SITE_NONE = 0, /* id not in use */
    LEDGER_SITE_HEAP = 1, /* malloc family, new and delete */
    LEDGER_SITE_MAP = 2,  /* anonymous mmap; never part of heap totals */
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
     * unseen_frees are the site's blocks that were found to be freed out of sight.
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
 * For a MAP site, blocks are pieces of address space (an munmap in the middle
 * of one makes two) and bytes are whole pages.
 */
struct ledger_counter {
    uint64_t alloc_blocks;
    uint64_t alloc_bytes; /* as requested */
    uint64_t free_blocks;
    uint64_t free_bytes;
};

/*
 * With LEDGER_FLAG_TEMPORARY there come, behind the counters, 128 words for each
 * shard: how many of a site's blocks were freed before their thread allocated
 * again. Here the size of all, whole pages.
 */
static inline uint64_t ledger_temporary_size(uint32_t shard_count)
{
    uint64_t size =
        (uint64_t)shard_count * LEDGER_SITES_PER_SEGMENT * sizeof(uint64_t);

    return (size + LEDGER_PAGE - 1) / LEDGER_PAGE * LEDGER_PAGE;
}

/*
 * A word of a SIZES segment counts allocations: the first those of 0 bytes, and
 * word n those of 2^(n-1) to 2^n - 1 bytes; the last one all above, too.
 */
static inline uint32_t ledger_size_class(uint64_t size)
{
    return (int64_t)size < 0 ? 63
                             : 63 - (uint32_t)__builtin_clzll(size * 2 | 1);
}

/*
 * One call on the way to a site, and how its own function was called: a tree
 * whose leaves are sites. Index 0 is never used; a parent's index is lower.
 */
struct ledger_frame {
    uint32_t parent;  /* 0: it has no caller, the stack is whole */
    uint32_t module;  /* index in the module table; 0 unknown */
    uint64_t address; /* return address; stored last; 0: not in use */
};

/* In place of a parent: there was more, and it could not be followed. */
#define LEDGER_FRAME_CUT UINT32_MAX

/* What a site held when the heap held most; by the site's id. */
struct ledger_peak {
    uint64_t blocks;
    uint64_t bytes;
};

enum { LEDGER_BUILD_ID_CAPACITY = 20 };

enum ledger_module_state {
    LEDGER_MODULE_NONE = 0,
    LEDGER_MODULE_LOADED = 1,
    LEDGER_MODULE_UNLOADED = 2, /* by dlclose; its live blocks stay in place */
};

/* A loaded ELF file, the executable included. Index 0 is never used. */
struct ledger_module {
    uint32_t state;         /* enum ledger_module_state; stored last */
    uint32_t build_id_size; /* 0 when it has none */
    uint64_t start;         /* [start, end) holds all its segments */
    uint64_t end;
    uint64_t bias; /* run-time address minus address in the file */
    struct ledger_text path;
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    uint8_t reserved[128 - 68];
};

/*
 * Things a reader of the report should know. Name, whether the text is a path,
 * and the sentence, with %s for the text.
 */
#define LEDGER_NOTICE_LIST(X)                                                  \
    X(child_static, "statically linked, so it ran unrecorded: %s")             \
    X(child_setuid, "set-user-ID or privileged, so it ran unrecorded: %s")     \
    X(child_no_preload,                                                        \
      "started without LD_PRELOAD, so it ran unrecorded: %s")                  \
    X(own_allocator,                                                           \
      "has an allocator of its own; what it hands out is not seen, because "   \
      "calls within the executable cannot be replaced, but only the maps "     \
      "that "                                                                  \
      "it takes; build it with libc's malloc to see its blocks: %s")           \
    X(deepbind, "loaded with RTLD_DEEPBIND; its allocations are not seen: %s") \
    X(references_exhausted, "more call sites than compressed references can "  \
                            "name; profiling was disabled%s")                  \
    X(compressed_refused, "compressed references need libc's allocator; full " \
                          "ones were used%s")                                  \
    X(sandboxed, "a seccomp filter was installed; children forked after that " \
                 "are not recorded%s")                                         \
    X(child_no_session,                                                        \
      "could not reach the recording from where it runs, as another user or "  \
      "in another root or namespace, so it ran unrecorded; start tally "       \
      "record there, as that user: %s")                                        \
    X(child_foreign,                                                           \
      "made for another libc or machine, so it ran unrecorded: %s")            \
    X(child_sanitized,                                                         \
      "needs a sanitizer's runtime, which no recorder may precede, so it ran " \
      "unrecorded: %s")                                                        \
    X(child_little_room,                                                       \
      "has less than 16 MiB of address space (ulimit -v), so it ran "          \
      "unrecorded: %s")

enum ledger_notice_code {
    LEDGER_NOTICE_NONE = 0,
#define LEDGER_NOTICE_ENUM(name, sentence) LEDGER_NOTICE_##name,
    LEDGER_NOTICE_LIST(LEDGER_NOTICE_ENUM)
#undef LEDGER_NOTICE_ENUM
        LEDGER_NOTICE_COUNT
};

/* Index 0 is never used. */
struct ledger_notice {
    uint32_t code;  /* enum ledger_notice_code; stored last */
    uint32_t times; /* 0: taken back */
    struct ledger_text text;
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

enum ledger_region_kind {
    LEDGER_REGION_NONE = 0,
    LEDGER_REGION_SLAB = 1,
    LEDGER_REGION_HEAP = 2,
    LEDGER_REGION_K_HEAP = 3, /* a heap that threads may wait for */
};

/*
 * A piece of memory that the program shares out itself. Bytes are those of whole
 * blocks, with what each costs. Index 0 is never used.
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

_Static_assert(offsetof(struct ledger_header, control) == 24, "layout");
_Static_assert(offsetof(struct ledger_header, shard_count) == 32, "layout");
_Static_assert(offsetof(struct ledger_header, pid) == 56, "layout");
_Static_assert(offsetof(struct ledger_header, program) == 96, "layout");
_Static_assert(offsetof(struct ledger_header, peak_bytes) == 136, "layout");
_Static_assert(offsetof(struct ledger_header, live_bytes) == 168, "layout");
_Static_assert(offsetof(struct ledger_header, sample_volume) == 184, "layout");
_Static_assert(offsetof(struct ledger_header, counts) == 512, "layout");
_Static_assert(offsetof(struct ledger_header, totals) == 1024, "layout");
_Static_assert(offsetof(struct ledger_header, map_table) == 3832, "layout");
_Static_assert(offsetof(struct ledger_header, resident) == 3840, "layout");
_Static_assert(sizeof(struct ledger_total) == 64, "layout");
_Static_assert(sizeof(struct ledger_header) == LEDGER_HEADER_SIZE, "layout");
_Static_assert(sizeof(struct ledger_directory_entry) == 32, "layout");
_Static_assert(LEDGER_HEADER_SIZE + LEDGER_DIRECTORY_CAPACITY * 32 ==
                   LEDGER_FIRST_SEGMENT,
               "layout");
_Static_assert(sizeof(struct ledger_site) == 64, "layout");
_Static_assert(offsetof(struct ledger_site, peak_seen) == 56, "layout");
_Static_assert(sizeof(struct ledger_counter) == 32, "layout");
_Static_assert(sizeof(struct ledger_counter) * LEDGER_SITES_PER_SEGMENT ==
                   LEDGER_PAGE,
               "one shard of a SITES segment is one page");
_Static_assert(sizeof(struct ledger_frame) == 16, "layout");
_Static_assert(sizeof(struct ledger_peak) == 16, "layout");
_Static_assert(sizeof(struct ledger_module) == 128, "layout");
_Static_assert(sizeof(struct ledger_notice) == 32, "layout");
_Static_assert(sizeof(struct ledger_sample) == 32, "layout");
_Static_assert(sizeof(struct ledger_region) == 128, "layout");

#endif /* TALLY_FORMAT_LEDGER_LAYOUT_H */
