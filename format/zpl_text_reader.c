/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text_reader.c - lines with ZPL events out of a stream
 *
 * A line longer than the buffer is taken as several.
 */
#include "format/zpl_text.h"

#include <string.h>

#include "format/feed.h"

void zpl_text_reader_open(struct zpl_text_reader *reader)
{
    reader->events = reader->lines = 0;
    reader->skipped_lines = reader->skipped_bytes = reader->first_skipped = 0;
    reader->offset = 0;
    reader->first = reader->filled = 0;
    reader->is_ended = false;
}

size_t zpl_text_reader_feed(struct zpl_text_reader *reader, const void *bytes,
                            size_t size)
{
    return feed(reader->bytes, sizeof reader->bytes, &reader->first,
                &reader->filled, bytes, size);
}

void zpl_text_reader_end(struct zpl_text_reader *reader)
{
    reader->is_ended = true;
}

/* Bytes of the next line, or 0 when it is not all there. */
static size_t line_length(const struct zpl_text_reader *reader)
{
    size_t left = reader->filled - reader->first;
    const char *start = reader->bytes + reader->first;
    const char *newline = left == 0 ? NULL : memchr(start, '\n', left);

    if (newline != NULL)
        return (size_t)(newline - start) + 1;
    return reader->is_ended || left == sizeof reader->bytes ? left : 0;
}

bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event)
{
    size_t length;

    while ((length = line_length(reader)) > 0) {
        const char *line = reader->bytes + reader->first;
        enum zpl_text_line found = zpl_text_read(line, length, event);

        if (found == ZPL_TEXT_DAMAGED) {
            if (reader->skipped_lines++ == 0)
                reader->first_skipped = reader->offset;
            reader->skipped_bytes += length;
        }
        reader->lines++;
        reader->first += length;
        reader->offset += length;
        if (found == ZPL_TEXT_READ) {
            reader->events++;
            return true;
        }
    }
    return false;
}
