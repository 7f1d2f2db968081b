/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_reader.h - read and check the bytes of a ledger */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"
#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/segments_layout.h"

/*
 * Errors in the bytes of a ledger.
 *
 * A message joins the sentences and the offset:
 *
 *     tally: a.tally: WHY, at byte N; ADVICE
 */

/* name, value, why the ledger cannot be read, advice */
#define LEDGER_ERROR_LIST(X)                                             \
    X(LEDGER_E_OK, 0, "nothing is wrong", "carry on")                    \
    X(LEDGER_E_MAGIC, -1, "not a Tally recording",                       \
      "name a file that tally record wrote")                             \
    X(LEDGER_E_BYTE_ORDER, -2, "the recording has a foreign byte order", \
      "only little-endian recordings can be read; record again")         \
    X(LEDGER_E_MAJOR, -3, "the recording's format version is not 1",     \
      "read it with the tally that wrote it")                            \
    X(LEDGER_E_TRUNCATED, -4, "the recording is truncated",              \
      "copy the whole file, or record again")

/* Kinds of damage, which share one advice. */
#define LEDGER_DAMAGE_LIST(X)                                                 \
    X(LEDGER_E_GEOMETRY, -5, "the recording's header is inconsistent")        \
    X(LEDGER_E_DIRECTORY, -6,                                                 \
      "a directory entry points outside the recording")                       \
    X(LEDGER_E_SEGMENT, -7, "a directory entry has an unknown kind or index") \
    X(LEDGER_E_SITE, -8, "a call site has an unknown kind or module")         \
    X(LEDGER_E_MODULE, -9, "a module has impossible values")                  \
    X(LEDGER_E_TEXT, -10, "a text lies outside the recording's texts")        \
    X(LEDGER_E_NOTICE, -11, "a notice has an unknown code")                   \
    X(LEDGER_E_REGION, -12, "a slab or heap has an unknown kind")             \
    X(LEDGER_E_FRAME, -13, "a frame has an impossible parent or module")      \
    X(LEDGER_E_LIFETIMES, -14, "an estimate has an impossible variance")      \
    X(LEDGER_E_OVERLAP, -15, "segments overlap")                              \
    X(LEDGER_E_WORK, -16, "its parts are referenced too often")               \
    X(LEDGER_E_RESIDENCY, -17, "a stack has impossible resident bytes")       \
    X(LEDGER_E_HISTORY, -18, "a history is inconsistent")                     \
    X(LEDGER_E_EVENTS, -19, "the last events are longer than their segment")

enum ledger_error {
#define LEDGER_ERROR_ENUM(name, value, ...) name = (value),
    LEDGER_ERROR_LIST(LEDGER_ERROR_ENUM) LEDGER_DAMAGE_LIST(LEDGER_ERROR_ENUM)
#undef LEDGER_ERROR_ENUM
};

/* Return static text without a full stop, never NULL. */
const char *ledger_error_why(int error);
const char *ledger_error_advice(int error);

/*
 * Read and check the bytes of a ledger.
 *
 * The bytes are those of one ledger: a file read into memory, or a copy of a
 * running program's. The reader trusts nothing in them, allocates nothing, and
 * does not change them; the caller owns them.
 *
 *     struct ledger_reader reader;
 *     struct ledger_cursor cursor = { 0 };
 *     struct ledger_site_view site;
 *
 *     if (ledger_reader_open(&reader, bytes, size) != LEDGER_E_OK)
 *         complain(ledger_error_why(reader.error), reader.error_offset);
 *     while (ledger_reader_next_site(&reader, &cursor, &site) > 0)
 *         use(&site);
 *
 * Each function returns a negative enum ledger_error for damage, and stores it
 * in `error` with the offset in `error_offset`. Overlapping segments, and
 * contents that take more work than ledger_reader_work_limit(), are damage,
 * too, so that the size of a ledger bounds time and memory.
 *
 * A stack is the address of a site, of its frame, of that frame's parent and so
 * on. Parents have lower numbers than their children, even in hostile bytes, so
 * that every walk ends.
 */

/* Text that is not NUL-terminated and may contain any byte. */
struct ledger_text_view {
    const unsigned char *bytes;
    size_t length;
};

struct ledger_process_view {
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start_ns; /* CLOCK_REALTIME */
    uint64_t start_ticks;
    uint64_t end_ns;
    uint32_t ended;   /* 0 or 1 */
    uint32_t control; /* enum ledger_control, current value */
    uint32_t flags;   /* enum ledger_flags */
    uint32_t end;     /* enum ledger_end, or a newer writer's value */
    uint32_t end_code;
    struct ledger_text_view program;
    struct ledger_text_view command_line; /* arguments joined by NUL */
};

struct ledger_reader {
    const unsigned char *bytes;
    size_t size;
    uint16_t minor;
    uint32_t last_missing[LEDGER_SEGMENT_KINDS]; /* private: index + 1 */
    uint64_t more_entries; /* private: offset of further directory entries */
    uint32_t entry_count;  /* private: entries of the directory */
    uint32_t shard_count;
    uint32_t used_shards; /* private: bits by their numbers */
    struct ledger_process_view process;
    uint32_t last_found[LEDGER_SEGMENT_KINDS]; /* private: directory entries, by
                                                  kind */
    uint64_t work; /* work done: directory entries visited, bytes of text
                      returned */
    unsigned malloc_callers; /* private: 0: not known yet */
    uint64_t summed; /* private: place of the counters that `sums` adds up */
    struct ledger_counter sums[LEDGER_SITES_PER_SEGMENT];
    int error;
    uint64_t error_offset; /* offset in the ledger of the error */
};

/* Position of an iteration; begins as { 0 }. */
struct ledger_cursor {
    uint32_t entry; /* entry of the directory */
    uint32_t slot;  /* record of the segment */
};

/* Return the limit of `work` for a ledger of `size` bytes. */
static inline uint64_t ledger_reader_work_limit(size_t size)
{
    return (UINT64_C(1) << 24) + 16 * (uint64_t)size;
}

/* For readers in this folder: read a field of a struct at `at`, or of the
   header. */
#define LEDGER_GET(reader, at, type, field)                    \
    ((__typeof__(((struct type *)0)->field))get_word_le(       \
        (reader)->bytes + (at) + offsetof(struct type, field), \
        sizeof(((struct type *)0)->field)))
#define LEDGER_HEADER(reader, field) LEDGER_GET(reader, 0, ledger_header, field)

/* For readers in this folder: return false if all words of a shard are 0, as
   reading them takes time, and on some kernels memory. */
static inline bool ledger_reader_has_shard(const struct ledger_reader *reader,
                                           uint32_t shard)
{
    uint32_t mark = shard < LEDGER_TOTAL_CAPACITY ? shard : 0;

    return shard == 0 || (reader->used_shards >> mark & 1) != 0;
}

/* Read `count` words at `at`. */
static inline void ledger_reader_words(const struct ledger_reader *reader,
                                       uint64_t at, void *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((uint64_t *)words)[i] = read_u64le(reader->bytes + at + i * 8);
}

/* Directory entry that passed the checks. */
struct ledger_segment {
    uint32_t kind;  /* enum ledger_segment_kind */
    uint32_t index; /* below LEDGER_ENTRY_LIMIT; for frames and other kinds
                       without sites, below LEDGER_DIRECTORY_CAPACITY */
    uint64_t offset;
    uint64_t size; /* at least the minimum of the kind */
};

/* Find the segment of this kind and index; return 1, 0 if there is none, or an
   error. */
int ledger_reader_segment(struct ledger_reader *reader, uint32_t kind,
                          uint32_t index, struct ledger_segment *segment);

struct ledger_site_view {
    uint32_t id;
    uint32_t kind;   /* enum ledger_site_kind, not NONE */
    uint32_t module; /* 0 unknown */
    uint64_t address;
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
    struct ledger_text_view place; /* FILE NUL FUNCTION NUL MODULE, or empty */
    uint32_t line;
    uint32_t frame;     /* 0 without stacks */
    uint64_t peak_seen; /* live bytes; not above the true peak */
    uint32_t unseen_frees;
    struct ledger_counter counter; /* sum over all shards */
    uint64_t offset;               /* offset of its struct ledger_site */
};

struct ledger_module_view {
    uint32_t state; /* LEDGER_MODULE_LOADED or LEDGER_MODULE_UNLOADED */
    uint64_t start;
    uint64_t end;
    uint64_t bias;
    struct ledger_text_view path;
    uint32_t build_id_size; /* at most LEDGER_BUILD_ID_CAPACITY */
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    bool is_label; /* it is not a file: the path is KEY=VALUE */
};

struct ledger_notice_view {
    uint32_t code; /* below LEDGER_NOTICE_COUNT unless the writer is newer */
    uint32_t times;
    struct ledger_text_view text;
};

struct ledger_region_view {
    uint32_t kind; /* enum ledger_region_kind, never NONE */
    uint32_t is_gone;
    uint64_t address;
    struct ledger_text_view name;
    uint64_t size;
    uint64_t block_size;
    uint64_t used; /* at most `size` */
    uint64_t peak; /* at most `size` */
    uint64_t refused;
    uint64_t timed_out;
    uint64_t waiting;
    uint64_t longest_wait_ns;
    uint64_t faults;
    bool knows_largest;
    uint64_t largest; /* at most the unused bytes */
};

struct ledger_frame_view {
    uint32_t parent;  /* lower than its own index; 0: no caller;
                         LEDGER_FRAME_CUT */
    uint32_t module;  /* 0 unknown */
    uint64_t address; /* return address, never 0 */
};

/* Last events kept by a black box. */
struct ledger_events_view {
    uint64_t offset; /* offset of the stream */
    uint64_t size;   /* size of the stream, which lies within the ledger */
    uint64_t events;
    uint64_t overwritten;
    uint64_t first_ns, last_ns; /* not ordered in hostile bytes */
    uint64_t limit; /* memory limit that triggered the copy, in bytes; 0:
                       none */
    uint64_t used;  /* bytes of it in use; above the limit in hostile bytes */
};

/* Peak of live bytes, as measured by the recorder. */
struct ledger_heap_peak {
    uint64_t bytes;       /* of the heap; 0: not measured */
    uint64_t with_maps;   /* of heap and maps together; at least `bytes` */
    uint64_t uncertainty; /* +- bytes */
    uint64_t copied;      /* live bytes when the sites' peaks were written */
    uint64_t sample_most; /* peak of live bytes shown by samples; 0: unknown */
    bool is_live; /* the live bytes exceed the last copy: they are the peak, of
                     sites and `copied` as well */
    bool is_difference;   /* ledger_reader_peak() returns the excess over now */
    bool is_joint;        /* `copied` and the sites' peaks are of `with_maps` */
    bool has_maps;        /* maps have a peak of their own */
    bool has_map_reading; /* resident bytes of maps were read */
};

/* A MAP site at the peak of maps. */
struct ledger_map_peak_view {
    uint64_t offset;         /* of its record */
    struct ledger_peak more; /* excess over now */
    uint64_t resident;       /* bytes at the reading with most resident maps */
};

/*
 * Check header and directory of the ledger in `bytes` and read the process's
 * description from the header. `bytes` must stay mapped while the reader is
 * used.
 */
int ledger_reader_open(struct ledger_reader *reader, const unsigned char *bytes,
                       size_t size);

/* Read the last events; return 1, 0 if there are none, or an error. */
int ledger_reader_events(struct ledger_reader *reader,
                         struct ledger_events_view *view);

/* Return the current value of the counter `count`. */
uint64_t ledger_reader_count(const struct ledger_reader *reader,
                             enum ledger_count count);

/* Read the next valid site; return 1, 0 at the end, or an error. */
int ledger_reader_next_site(struct ledger_reader *reader,
                            struct ledger_cursor *cursor,
                            struct ledger_site_view *site);

/* Read the next notice, as above. Notices about an own allocator that calls
   ours are skipped. */
int ledger_reader_next_notice(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_notice_view *notice);

/* Read the next region, as above. */
int ledger_reader_next_region(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_region_view *region);

/* Read the next data point of the totals, as above. The order is arbitrary; a
   data point may occur twice. */
int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample);

/* Return the highest possible index of a module, plus 1. */
uint32_t ledger_reader_module_limit(const struct ledger_reader *reader);

/* Read module `index`; return 1, 0 if it is not valid, or an error. */
int ledger_reader_module(struct ledger_reader *reader, uint32_t index,
                         struct ledger_module_view *module);

/* Return the highest possible index of a frame, plus 1. */
uint32_t ledger_reader_frame_limit(struct ledger_reader *reader);

/* Read the first frame whose index is above `*index`, and store its index
   there. Return 1, 0 if there is none below `limit`, or an error. */
int ledger_reader_next_frame(struct ledger_reader *reader, uint32_t limit,
                             uint32_t *index, struct ledger_frame_view *frame);

void ledger_reader_heap_peak(const struct ledger_reader *reader,
                             struct ledger_heap_peak *peak);

/* Read a site's blocks and bytes at the peak; return 1, 0 if unknown, or an
   error. */
int ledger_reader_peak(struct ledger_reader *reader, uint32_t site,
                       struct ledger_peak *peak);

/* Read a MAP site at the peak of maps, as above. */
int ledger_reader_map_peak(struct ledger_reader *reader, uint32_t site,
                           struct ledger_map_peak_view *peak);

/* Return the peak of the process: the heap's, and the most mmap memory that was
   resident, or else, if there is no heap, that of maps. */
uint64_t ledger_reader_process_peak(const struct ledger_reader *reader);

/* Return true if temporary blocks were counted. */
bool ledger_reader_has_temporary(const struct ledger_reader *reader);

/* Read a site's temporary blocks: those freed by the next allocation of their
   thread. Return 1, 0 if unknown, or an error. */
int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks);

/* Read a site's blocks that realloc grew, and by how many bytes, as above. */
bool ledger_reader_has_grown(const struct ledger_reader *reader);
int ledger_reader_grown(struct ledger_reader *reader, uint32_t site,
                        uint64_t *blocks, uint64_t *bytes);

/* Read all allocations by ledger_size_class(); return 1, 0 if unknown, or an
   error. */
int ledger_reader_sizes(struct ledger_reader *reader,
                        uint64_t sizes[LEDGER_SIZE_CLASSES]);

/* Sampling of ledgers. All fields are 0 if accounts are exact. */
struct ledger_sampling {
    /* Largest mean number of bytes between samples. With a budget that
       changes it, 1 / 2^LEDGER_THIN_LOG2 of the allocated bytes may have a
       larger one. */
    uint64_t interval;
    uint64_t least;
    uint32_t budget;               /* millionths of `capacity_ns`; 0: none */
    uint64_t cost_ns, capacity_ns; /* time spent on samples, CPU time available;
                                      0: not known yet */
};

enum { LEDGER_THIN_LOG2 = 10 };

/* Add the sampling of this ledger to `sum`, initially zero. */
void ledger_reader_sampling(const struct ledger_reader *reader,
                            struct ledger_sampling *sum);

/* Return the current mean number of bytes between samples; 0: exact. */
uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader);

/* Read the estimates of a site; return 1, 0 if there are none, or an error.
   Variances are the bits of a finite, non-negative number. `seen` is 0 before
   minor version 11. */
int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes);

/* Read the resident pages of a site; return 1, 0 if unknown, or an error. */
int ledger_reader_residency(struct ledger_reader *reader, uint32_t site,
                            struct ledger_residency *residency);

/* Read the resident memory at that time. Return false if it was not read, is
   being written, or is more than any process can have. */
bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident);

/* Return the sum of all parts in bytes. */
uint64_t ledger_resident_sum(const struct ledger_resident *resident);
