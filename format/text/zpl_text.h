/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text.h - ZPL events as lines of text
 *
 *     zpl_memory_event stack (0x20011748) 80B 432B 536936848
 *
 * The fields are region, address, used and unused bytes, thread. The reader
 * also accepts a thread in hexadecimal with 0x, and an address of 0 as printed
 * by "%#x". A line may have any text before the event, such as a shell's prompt
 * or a log's time.
 *
 * The reader takes a stream (see byte_stream.h), mixed with other console
 * output, in constant memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/byte_stream.h"
#include "format/ctf/zpl_event.h"

#define ZPL_TEXT_EVENT "zpl_memory_event"

enum { ZPL_TEXT_LONGEST = 96 }; /* longest written line in bytes */

/* Write a line with newline, without NUL; return its length. `out` has room for
   ZPL_TEXT_LONGEST bytes. */
size_t zpl_text_write(char *out, const struct zpl_event *event);

enum zpl_text_line {
    ZPL_TEXT_OTHER,   /* the line names no event */
    ZPL_TEXT_READ,    /* `event` is filled in, its time ZPL_EVENT_NO_TIME */
    ZPL_TEXT_DAMAGED, /* an event is named, but malformed */
};

/* Read a line, with or without its newline. */
enum zpl_text_line zpl_text_read(const char *line, size_t length,
                                 struct zpl_event *event);

/* Return the static name of a region, such as "stack", or NULL if it is
   unknown. */
const char *zpl_text_region(unsigned region);

enum { ZPL_TEXT_READER_CAPACITY = 65536 };

/* The fields up to the blank line may be read any time; the rest is private. */
struct zpl_text_reader {
    struct byte_stream in; /* input; counts lines of damaged events */
    uint64_t events;
    uint64_t told; /* bytes of their lines */

    char bytes[ZPL_TEXT_READER_CAPACITY];
};

void zpl_text_reader_open(struct zpl_text_reader *reader);

/* Read the next event; return false if more must be fed or the stream has
   ended. */
bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event);
