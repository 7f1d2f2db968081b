/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_text_reader.c - read lines with ZPL events from a stream
 *
 * A line longer than the buffer is read as several lines, and so is a line with
 * more than one event: its newlines were lost.
 */
#include "format/text/zpl_text.h"

#include "format/cursor.h"

/* Parse a number in decimal, or in hexadecimal with 0x. */
static bool get_address(struct cursor *cursor, uint64_t *address)
{
    return cursor_number(cursor, cursor_text(cursor, "0x") ? 16 : 10, address);
}

static bool get_u32(struct cursor *cursor, uint32_t *value)
{
    uint64_t number;

    if (!get_address(cursor, &number) || number > UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    return true;
}

static bool get_region(struct cursor *cursor, uint8_t *region)
{
    for (unsigned i = 0; i < ZPL_REGION_COUNT; i++) {
        if (cursor_text(cursor, zpl_text_region(i))) {
            *region = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool get_event(struct cursor *cursor, struct zpl_event *event)
{
    *event = (struct zpl_event){ .time_ns = ZPL_EVENT_NO_TIME };
#define GET(kind, name, before, behind)                                      \
    if (!cursor_text(cursor, before) || !get_##kind(cursor, &event->name) || \
        !cursor_text(cursor, behind))                                        \
        return false;
    ZPL_MEMORY_PAYLOAD_LIST(GET)
#undef GET
    /* White space, a terminal's escape code or the end; no letter or dot. */
    return cursor->next == cursor->end || (unsigned char)*cursor->next <= ' ';
}

enum zpl_text_line zpl_text_read(const char *line, size_t length,
                                 struct zpl_event *event)
{
    const char *end = line + length;
    enum zpl_text_line found = ZPL_TEXT_OTHER;

    while ((line = text_find(line, end, ZPL_TEXT_EVENT)) != end) {
        struct cursor cursor = { line, end };

        cursor_text(&cursor, ZPL_TEXT_EVENT);
        if (get_event(&cursor, event))
            return ZPL_TEXT_READ;
        found = ZPL_TEXT_DAMAGED; /* the next event in this line may be
                                     intact */
        line++;
    }
    return found;
}

void zpl_text_reader_open(struct zpl_text_reader *reader)
{
    memset(reader, 0, offsetof(struct zpl_text_reader, bytes));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
}

/* Return the length of the next line, or 0 if it is incomplete. */
static size_t line_length(const struct zpl_text_reader *reader)
{
    size_t length = byte_stream_line(&reader->in);
    const char *start = reader->bytes + reader->in.first;
    const char *end =
        start + (length > 0 ? length : byte_stream_left(&reader->in));
    const char *event = text_find(start, end, ZPL_TEXT_EVENT);
    const char *second =
        event == end ? end : text_find(event + 1, end, ZPL_TEXT_EVENT);

    return second == end ? length : (size_t)(second - start);
}

bool zpl_text_reader_next(struct zpl_text_reader *reader,
                          struct zpl_event *event)
{
    size_t length;

    while ((length = line_length(reader)) > 0) {
        const char *line = reader->bytes + reader->in.first;
        /* A byte that touches the event shows that its end is missing. */
        size_t touching = length < byte_stream_left(&reader->in) ? 1 : 0;
        enum zpl_text_line found =
            zpl_text_read(line, length + touching, event);

        if (found == ZPL_TEXT_DAMAGED)
            byte_stream_skip(&reader->in, length, false);
        else
            byte_stream_pass(&reader->in, length);
        if (found == ZPL_TEXT_READ) {
            reader->events++;
            for (; length > 0 && line[length - 1] != '\0'; length--)
                reader->told++;
            return true;
        }
    }
    return false;
}
