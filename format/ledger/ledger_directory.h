/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_directory.h - the segments of a ledger and the texts in them
 *
 * The part of the reader that decides which bytes may be looked at; private to
 * the readers of format. What it gives lies within the bytes at hand.
 */
#ifndef TALLY_FORMAT_LEDGER_DIRECTORY_H
#define TALLY_FORMAT_LEDGER_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ledger/ledger_reader.h"

/* A directory entry that was found sound. */
struct ledger_segment {
    uint32_t kind;  /* enum ledger_segment_kind */
    uint32_t index; /* below LEDGER_ENTRY_LIMIT; of frames and what is no site's
                       below LEDGER_DIRECTORY_CAPACITY */
    uint64_t offset;
    uint64_t size; /* enough for what the kind promises */
};

/* Keep the error and its place in the reader; returns `error`. */
int ledger_reader_fail(struct ledger_reader *reader, int error,
                       uint64_t offset);

/* A writer of a newer minor version may store what we have no name for. */
bool ledger_reader_may_be_newer(const struct ledger_reader *reader);

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

/* Check a text whose struct ledger_text lies at `at`: 1, or an error. */
int ledger_text_read(struct ledger_reader *reader, uint64_t at,
                     struct ledger_text_view *text);

#endif /* TALLY_FORMAT_LEDGER_DIRECTORY_H */
