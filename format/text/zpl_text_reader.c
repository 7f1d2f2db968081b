/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text_reader.c - lines with ZPL events out of a stream
 *
 * A line longer than the buffer is taken as several, and so is one that names
 * more than one event: it was several before something ate its ends.
 */
#include "format/text/zpl_text.h"

#include <string.h>

void zpl_text_reader_open(struct zpl_text_reader *reader)
{
    memset(reader, 0, offsetof(struct zpl_text_reader, bytes));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
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
    size_t length = byte_stream_line(&reader->in);
    const char *start = reader->bytes + reader->in.first;
    const char *end =
        start + (length > 0 ? length : byte_stream_left(&reader->in));
    const char *event = find_event(start, end);
    const char *second = event == end ? end : find_event(event + 1, end);

    return second == end ? length : (size_t)(second - start);
}

bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event)
{
    size_t length;

    while ((length = line_length(reader)) > 0) {
        const char *line = reader->bytes + reader->in.first;
        /* What touches an event tells that it lacks its end. */
        size_t touching = length < byte_stream_left(&reader->in) ? 1 : 0;
        enum zpl_text_line found =
            zpl_text_read(line, length + touching, event);

        if (found == ZPL_TEXT_DAMAGED)
            byte_stream_skip_piece(&reader->in, length);
        else
            byte_stream_pass(&reader->in, length);
        reader->lines++;
        if (found == ZPL_TEXT_READ) {
            reader->events++;
            for (; length > 0 && line[length - 1] != '\0'; length--)
                reader->told++;
            return true;
        }
    }
    return false;
}
