/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text_reader.c - lines with ZPL events out of a stream
 *
 * A line longer than the buffer is taken as several, and so is one that names more
 * than one event: it was several before something ate its ends.
 */
#include "format/text/zpl_text.h"

#include <string.h>

void zpl_text_reader_open(struct zpl_text_reader *reader)
{
    memset(reader, 0, offsetof(struct zpl_text_reader, bytes));
}

size_t zpl_text_reader_feed(struct zpl_text_reader *reader, const void *bytes,
                            size_t size)
{
    return feed_take(&reader->in, reader->bytes, sizeof reader->bytes, bytes,
                     size);
}

void zpl_text_reader_end(struct zpl_text_reader *reader)
{
    reader->in.is_ended = true;
}

/* Where an event is named at or behind `from`, or `end`. */
static const char *find_event(const char *from, const char *end)
{
    const size_t name = sizeof ZPL_TEXT_EVENT - 1;

    while ((size_t)(end - from) >= name) {
        from = memchr(from, ZPL_TEXT_EVENT[0], (size_t)(end - from) - name + 1);
        if (from == NULL)
            break;
        if (memcmp(from, ZPL_TEXT_EVENT, name) == 0)
            return from;
        from++;
    }
    return end;
}

/* Bytes of the next line, or 0 when it is not all there. */
static size_t line_length(const struct zpl_text_reader *reader)
{
    size_t left = feed_left(&reader->in);
    const char *start = reader->bytes + reader->in.first;
    const char *newline = left == 0 ? NULL : memchr(start, '\n', left);
    const char *end = newline != NULL ? newline + 1 : start + left;
    const char *event = find_event(start, end);
    const char *second = event == end ? end : find_event(event + 1, end);

    if (newline != NULL || second != end)
        return (size_t)(second - start);
    return reader->in.is_ended || left == sizeof reader->bytes ? left : 0;
}

bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event)
{
    size_t length;

    while ((length = line_length(reader)) > 0) {
        const char *line = reader->bytes + reader->in.first;
        /* What touches an event tells that it lacks its end. */
        size_t touching = length < feed_left(&reader->in) ? 1 : 0;
        enum zpl_text_line found =
            zpl_text_read(line, length + touching, event);

        if (found == ZPL_TEXT_DAMAGED)
            skips_add_piece(&reader->skipped, reader->in.offset, length);
        reader->lines++;
        feed_pass(&reader->in, length);
        if (found == ZPL_TEXT_READ) {
            reader->events++;
            for (; length > 0 && line[length - 1] != '\0'; length--)
                reader->told++;
            return true;
        }
    }
    return false;
}
