/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_reader.h - the bytes of a ledger, checked, as structs
 *
 * For code that has the bytes of one ledger: a file read into memory, or a copy
 * of a running program's. Nothing in the bytes is trusted, nothing is
 * allocated, and the bytes stay the caller's and do not change.
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
 * Each function returns a negative enum ledger_error for damage, and leaves it
 * in `error` with the place in `error_offset`. Segments take no more room
 * together than there is, and what makes a reader work more than
 * ledger_reader_work_limit() says is damage too, so that time and memory are
 * bounded by the size of a ledger.
 *
 * A stack is the address of a site, that of its frame, of that frame's parent
 * and so on. Parents have lower numbers than their children, in hostile bytes
 * too, so that every walk ends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"
#include "format/ledger/counts_layout.h"
#include "format/ledger/ledger_error.h"
#include "format/ledger/ledger_layout.h"
#include "format/ledger/lifetimes_layout.h"
#include "format/ledger/modules_layout.h"
#include "format/ledger/regions_layout.h"
#include "format/ledger/residency_layout.h"
#include "format/ledger/sites_layout.h"

/* Not NUL-terminated; may hold any byte. */
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
    uint32_t control; /* enum ledger_control, now */
    uint32_t flags;   /* enum ledger_flags */
    uint32_t end;     /* enum ledger_end, or a newer writer's */
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
    uint32_t entry_count;  /* private: of the directory */
    uint32_t shard_count;
    struct ledger_process_view process;
    uint32_t last_found[LEDGER_SEGMENT_KINDS]; /* private: directory
                                                          entries, by kind */
    uint64_t work; /* done: directory entries looked at, bytes of texts given */
    unsigned malloc_callers; /* private: 0 not known yet */
    int error;
    uint64_t error_offset; /* byte of the ledger that `error` is about */
};

/* Where an iteration stands; begins as { 0 }. */
struct ledger_cursor {
    uint32_t entry; /* of the directory */
    uint32_t slot;  /* of the segment */
};

/* What `work` never exceeds, whatever a ledger of `size` bytes says. */
static inline uint64_t ledger_reader_work_limit(size_t size)
{
    return (UINT64_C(1) << 24) + 16 * (uint64_t)size;
}

/* For readers in this folder: the field of a struct that lies at `at`, and one
   of the header. */
#define LEDGER_GET(reader, at, type, field)                    \
    ((__typeof__(((struct type *)0)->field))get_word_le(       \
        (reader)->bytes + (at) + offsetof(struct type, field), \
        sizeof(((struct type *)0)->field)))
#define LEDGER_HEADER(reader, field) LEDGER_GET(reader, 0, ledger_header, field)

/* Likewise: `count` words that lie at `at`. */
static inline void ledger_reader_words(const struct ledger_reader *reader,
                                       uint64_t at, void *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((uint64_t *)words)[i] = read_u64le(reader->bytes + at + i * 8);
}

/* A directory entry that was found sound. */
struct ledger_segment {
    uint32_t kind;  /* enum ledger_segment_kind */
    uint32_t index; /* below LEDGER_ENTRY_LIMIT; of frames and what is no site's
                       below LEDGER_DIRECTORY_CAPACITY */
    uint64_t offset;
    uint64_t size; /* enough for what the kind promises */
};

/* Likewise: the segment of that kind and index: 1, or 0 when there is none, or
   an error. */
int ledger_reader_segment(struct ledger_reader *reader, uint32_t kind,
                          uint32_t index, struct ledger_segment *segment);

struct ledger_site_view {
    uint32_t id;
    uint32_t kind;   /* enum ledger_site_kind, not NONE */
    uint32_t module; /* 0 unknown */
    uint64_t address;
    uint64_t inherited_blocks;
    uint64_t inherited_bytes;
    struct ledger_text_view place; /* FILE NUL FUNCTION NUL MODULE; or empty */
    uint32_t line;
    uint32_t frame;     /* 0 without stacks */
    uint64_t peak_seen; /* live bytes; not above the true peak */
    uint32_t unseen_frees;
    struct ledger_counter counter; /* the sum over all shards */
    uint64_t offset;               /* of its struct ledger_site */
};

struct ledger_module_view {
    uint32_t state; /* LEDGER_MODULE_LOADED or LEDGER_MODULE_UNLOADED */
    uint64_t start;
    uint64_t end;
    uint64_t bias;
    struct ledger_text_view path;
    uint32_t build_id_size; /* at most LEDGER_BUILD_ID_CAPACITY */
    uint8_t build_id[LEDGER_BUILD_ID_CAPACITY];
    bool is_label; /* it is no file: the path is KEY=VALUE */
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
    uint64_t peak; /* likewise */
    uint64_t refused;
    uint64_t timed_out;
    uint64_t waiting;
    uint64_t longest_wait_ns;
    uint64_t faults;
    bool knows_largest;
    uint64_t largest; /* at most what is unused */
};

struct ledger_frame_view {
    uint32_t parent;  /* lower than its own; 0 whole; LEDGER_FRAME_CUT */
    uint32_t module;  /* 0 unknown */
    uint64_t address; /* return address, never 0 */
};

/* The last events that a black box kept. */
struct ledger_events_view {
    uint64_t offset; /* of the stream */
    uint64_t size;   /* bytes of it, which lie in the ledger */
    uint64_t events;
    uint64_t overwritten;
    uint64_t first_ns, last_ns; /* not after one another in hostile bytes */
    uint64_t limit; /* which memory was near when they were copied; 0: none */
    uint64_t used;  /* bytes of it; more than the limit in hostile bytes */
};

/* The most that was ever held, as the recorder saw it. */
struct ledger_heap_peak {
    uint64_t bytes;       /* heap and maps together; 0: it was not watched */
    uint64_t heap_bytes;  /* the same of the heap alone; never more */
    uint64_t uncertainty; /* bytes by which it may be too low, or too high */
    uint64_t copied;      /* live bytes when the sites' peaks were written */
    uint64_t sample_most; /* bytes that samples showed at most; 0: unknown */
    bool is_live; /* more is live now: that is the sites' peak, and `copied` */
    bool is_difference; /* ledger_reader_peak() says what was more than now */
    bool has_maps;      /* else there were none, or they are in no peak */
};

/*
 * Check header and directory of the ledger in `bytes` and read what the header
 * says of the process. `bytes` must stay mapped while the reader is used.
 */
int ledger_reader_open(struct ledger_reader *reader, const unsigned char *bytes,
                       size_t size);

/* Its last events: 1, or 0 when it has none, or an error. */
int ledger_reader_events(struct ledger_reader *reader,
                         struct ledger_events_view *view);

/* How often the thing named by `count` happened, until now. */
uint64_t ledger_reader_count(const struct ledger_reader *reader,
                             enum ledger_count count);

/* The next site that is valid: 1, or 0 at the end, or an error. */
int ledger_reader_next_site(struct ledger_reader *reader,
                            struct ledger_cursor *cursor,
                            struct ledger_site_view *site);

/* Likewise for notices, but for an own allocator that hands on to ours. */
int ledger_reader_next_notice(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_notice_view *notice);

/* Likewise for regions. */
int ledger_reader_next_region(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_region_view *region);

/* Likewise for samples of the totals, which come in any order; one may come
   twice. */
int ledger_reader_next_sample(struct ledger_reader *reader,
                              struct ledger_cursor *cursor,
                              struct ledger_sample *sample);

/* One more than the highest index that a module may have. */
uint32_t ledger_reader_module_limit(const struct ledger_reader *reader);

/* Module number `index`: 1, or 0 when it is not valid, or an error. */
int ledger_reader_module(struct ledger_reader *reader, uint32_t index,
                         struct ledger_module_view *module);

/* One more than the highest number that a frame may have. */
uint32_t ledger_reader_frame_limit(struct ledger_reader *reader);

/*
 * The first frame whose number is above `*index`, which becomes its number: 1,
 * or 0 when there is none below `limit`, or an error.
 */
int ledger_reader_next_frame(struct ledger_reader *reader, uint32_t limit,
                             uint32_t *index, struct ledger_frame_view *frame);

void ledger_reader_heap_peak(const struct ledger_reader *reader,
                             struct ledger_heap_peak *peak);

/* What a site held then: 1, or 0 unknown, or an error. */
int ledger_reader_peak(struct ledger_reader *reader, uint32_t site,
                       struct ledger_peak *peak);

/* Whether temporary blocks were counted. */
bool ledger_reader_has_temporary(const struct ledger_reader *reader);

/*
 * Blocks of a site that were freed before their thread allocated again, summed
 * over all shards: 1, or 0 unknown, or an error.
 */
int ledger_reader_temporary(struct ledger_reader *reader, uint32_t site,
                            uint64_t *blocks);

/* Likewise those that realloc made grow, and by how much in all. */
bool ledger_reader_has_grown(const struct ledger_reader *reader);
int ledger_reader_grown(struct ledger_reader *reader, uint32_t site,
                        uint64_t *blocks, uint64_t *bytes);

/* All allocations by ledger_size_class(): 1, or 0 unknown, or an error. */
int ledger_reader_sizes(struct ledger_reader *reader,
                        uint64_t sizes[LEDGER_SIZE_CLASSES]);

/* How ledgers are sampled. All is 0 where accounts are exact. */
struct ledger_sampling {
    /* The most bytes from one sample to the next, on average; where a budget
       moves that, but for 1 / 2^LEDGER_THIN_LOG2 of what was allocated. */
    uint64_t interval;
    uint64_t least;
    uint32_t budget;               /* millionths of `capacity_ns`; 0: none */
    uint64_t cost_ns, capacity_ns; /* of samples; 0: not known yet */
};

enum { LEDGER_THIN_LOG2 = 10 };

/* Add what this ledger says to what others have said, at first zeros. */
void ledger_reader_sampling(const struct ledger_reader *reader,
                            struct ledger_sampling *sum);

/* Bytes from one sample to the next, on average, for now; 0: all is exact. */
uint64_t ledger_reader_sample_interval(const struct ledger_reader *reader);

/*
 * What is known of a site: 1, or 0 nothing, or an error. Variances are bits of
 * a number that is finite and not below 0.
 */
int ledger_reader_lifetimes(struct ledger_reader *reader, uint32_t site,
                            struct ledger_lifetimes *lifetimes);

/* What pages the site keeps resident: 1, or 0 unknown, or an error. */
int ledger_reader_residency(struct ledger_reader *reader, uint32_t site,
                            struct ledger_residency *residency);

/*
 * What lay in memory at that time; false: it was not read, is being written, or
 * is more than any process can have.
 */
bool ledger_reader_resident(const struct ledger_reader *reader,
                            enum ledger_resident_time time,
                            struct ledger_resident *resident);

/* All of it, in bytes. */
uint64_t ledger_resident_sum(const struct ledger_resident *resident);
