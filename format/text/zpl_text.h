/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text.h - ZPL events as lines of text
 *
 *     zpl_memory_event stack (0x20011748) 80B 432B 536936848
 *
 * region, address, used and unused bytes, thread. It is written so; read is the
 * thread in decimal or behind 0x, and an address of 0 as it comes out of "%#x".
 * A line may have anything before the event, a shell's prompt or a log's time.
 *
 * Out of a stream, as byte_stream.h shows, mixed with whatever else a console
 * shows, in constant memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/byte_stream.h"
#include "format/ctf/zpl_event.h"

#define ZPL_TEXT_EVENT "zpl_memory_event"

enum { ZPL_TEXT_LONGEST = 96 }; /* bytes of a line that is written, at most */

/*
 * Write a line with its newline, without a NUL, and return its length.
 * `out` has room for ZPL_TEXT_LONGEST bytes.
 */
size_t zpl_text_write(char *out, const struct zpl_event *event);

enum zpl_text_line {
    ZPL_TEXT_OTHER,   /* no event is named in it */
    ZPL_TEXT_READ,    /* `event` is filled in, its time ZPL_EVENT_NO_TIME */
    ZPL_TEXT_DAMAGED, /* one is named, and what follows is not its form */
};

/* Read a line, with or without its newline. */
enum zpl_text_line zpl_text_read(const char *line, size_t length,
                                 struct zpl_event *event);

/* The name of a region, static: "stack". NULL when there is no such region. */
const char *zpl_text_region(unsigned region);

enum { ZPL_TEXT_READER_CAPACITY = 65536 };

/* What was read so far may be looked at; the rest is private. */
struct zpl_text_reader {
    struct byte_stream in; /* to be fed; tells lines of damaged events */
    uint64_t events;
    uint64_t told; /* bytes of their lines */

    char bytes[ZPL_TEXT_READER_CAPACITY];
};

void zpl_text_reader_open(struct zpl_text_reader *reader);

/* The next event; false: feed more, or it is over. */
bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event);
