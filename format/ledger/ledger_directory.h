/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_directory.h - the segments of a ledger, their records and texts, found
 *
 * The part of the reader that decides which bytes may be looked at. What it
 * gives lies within the bytes at hand; what is in them is for ledger_reader.h
 * and those beside it, which alone call these functions.
 */
#ifndef TALLY_FORMAT_LEDGER_DIRECTORY_H
#define TALLY_FORMAT_LEDGER_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"
#include "format/ledger/ledger_layout.h"

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
    uint32_t writer_version;
    uint32_t ended;   /* 0 or 1 */
    uint32_t control; /* enum ledger_control, now */
    uint32_t flags;   /* enum ledger_flags */
    struct ledger_text_view program;
    struct ledger_text_view command_line; /* arguments joined by NUL */
};

struct ledger_reader {
    const unsigned char *bytes;
    size_t size;
    uint16_t minor;
    uint32_t last_missing[LEDGER_SEGMENT_KINDS]; /* private: index + 1 */
    uint64_t more_entries; /* private: offset of further directory entries */
    uint32_t shard_count;
    struct ledger_process_view process;
    uint32_t last_found[LEDGER_SEGMENT_KINDS]; /* private: directory
                                                          entries, by kind */
    uint64_t work; /* done: directory entries looked at, bytes of texts given */
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

/* The field of a struct that lies at `at` in a ledger. */
#define LEDGER_GET(reader, at, type, field)                    \
    ((__typeof__(((struct type *)0)->field))get_word_le(       \
        (reader)->bytes + (at) + offsetof(struct type, field), \
        sizeof(((struct type *)0)->field)))
#define LEDGER_HEADER(reader, field) LEDGER_GET(reader, 0, ledger_header, field)

/* A directory entry that was found sound. */
struct ledger_segment {
    uint32_t kind;  /* enum ledger_segment_kind */
    uint32_t index; /* below LEDGER_ENTRY_LIMIT; of frames and what is no site's
                       below LEDGER_DIRECTORY_CAPACITY */
    uint64_t offset;
    uint64_t size; /* enough for what the kind promises */
};

/* A struct in a segment, by its number among all of its kind. */
struct ledger_record {
    uint64_t at;
    uint32_t number;
};

/* Keep the error and its place in the reader; returns `error`. */
int ledger_reader_fail(struct ledger_reader *reader, int error,
                       uint64_t offset);

/* A writer of a newer minor version may store what we have no name for. */
bool ledger_reader_may_be_newer(const struct ledger_reader *reader);

/* Whether temporary blocks were counted. */
bool ledger_reader_has_temporary(const struct ledger_reader *reader);

/* Entries handed out by now, at most as many as there is room for. */
uint32_t ledger_directory_used(const struct ledger_reader *reader);

/* Whether there are more than the first; all must be sound: 1, or an error. */
int ledger_directory_open(struct ledger_reader *reader);

/* 1 and the segment; 0 when the entry is not stored yet or not for us. */
int ledger_directory_read(struct ledger_reader *reader, uint32_t entry,
                          struct ledger_segment *segment);

/* The segment of that kind and index: 1; 0 when there is none by now. */
int ledger_directory_find(struct ledger_reader *reader, uint32_t kind,
                          uint32_t index, struct ledger_segment *segment);

/* Where record `number` of that kind lies: 1; 0 when it is not there by now. */
int ledger_record_find(struct ledger_reader *reader, uint32_t kind,
                       uint32_t number, uint64_t *at);

/* Read a record into its view: 1, or 0 when it is not in use, or an error. */
typedef int ledger_record_fn(struct ledger_reader *reader,
                             struct ledger_record record, void *view);

/* The next record of that kind for which `read` gives not 0; 0: no more. */
int ledger_record_next(struct ledger_reader *reader,
                       struct ledger_cursor *cursor, uint32_t kind,
                       ledger_record_fn *read, void *view);

/* Check a text whose struct ledger_text lies at `at`: 1, or an error. */
int ledger_text_read(struct ledger_reader *reader, uint64_t at,
                     struct ledger_text_view *text);

#endif /* TALLY_FORMAT_LEDGER_DIRECTORY_H */
