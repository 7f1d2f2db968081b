/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_reader.c - calls of allocation functions out of lines of text
 *
 * A line is taken when it is there to its newline, so that no number is taken
 * before its last digit has come. One that is longer than the buffer is taken
 * in parts, cut before an event.
 *
 * An event's line is written at once: what follows a number without white space
 * tells that bytes were lost, maybe the last digits with them. So two events
 * must not touch.
 */
#include "format/text/mem_trace_text.h"

#include <string.h>

#include "format/cursor.h"

enum {
    MARK_SIZE = 3,     /* "#m:" */
    LONGEST_CUT = 512, /* bytes of a part that are left for the next one */
};

void mem_trace_reader_open(struct mem_trace_reader *reader)
{
    memset(reader, 0, offsetof(struct mem_trace_reader, bytes));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
}

static const char *front(const struct mem_trace_reader *reader)
{
    return reader->bytes + reader->in.first;
}

/* As libraries print "%p". */
static bool get_pointer(struct cursor *cursor, uint64_t *value)
{
    if (cursor_text(cursor, "(nil)")) {
        *value = 0;
        return true;
    }
    (void)(cursor_text(cursor, "0x") || cursor_text(cursor, "0X"));
    return cursor_number(cursor, 16, value);
}

/* Behind the caller: what the function was called with. */
static bool get_arguments(struct cursor *cursor, struct mem_trace_event *event)
{
    const char *const first = mem_trace_forms[event->op] + 1;

    for (const char *kind = first; *kind != '\0'; kind++) {
        uint64_t *number = *kind == 'n' ? &event->count : &event->size;

        if ((kind > first && !cursor_byte(cursor, ';')) ||
            !(*kind == 'p' ? get_pointer(cursor, &event->pointer)
                           : cursor_number(cursor, 10, number)))
            return false;
    }
    return true;
}

static bool get_event(struct cursor *cursor, struct mem_trace_event *event)
{
    return get_pointer(cursor, &event->result) && cursor_byte(cursor, ';') &&
           get_pointer(cursor, &event->caller) && cursor_byte(cursor, '-') &&
           get_arguments(cursor, event) &&
           (cursor->next == cursor->end || (unsigned char)*cursor->next <= ' ');
}

/* Which function the letter of a mark stands for; MEM_TRACE_OP_COUNT: none. */
static unsigned op_of(char letter)
{
    for (unsigned op = 0; op < sizeof mem_trace_forms / 4; op++) {
        if (letter != '\0' && mem_trace_forms[op][0] == letter)
            return op;
    }
    return MEM_TRACE_OP_COUNT;
}

/* Where the next event begins, or the end. */
static const char *find_mark(const char *next, const char *end)
{
    while (end - next >= MARK_SIZE) {
        next = memchr(next, '#', (size_t)(end - next) - (MARK_SIZE - 1));
        if (next == NULL)
            return end;
        if (next[2] == ':' && op_of(next[1]) != MEM_TRACE_OP_COUNT)
            return next;
        next++;
    }
    return end;
}

/* Whether it holds what only an event does: ";0x600d-" and a digit. */
static bool is_remnant(const char *next, const char *end)
{
    while (next < end &&
           (next = memchr(next, ';', (size_t)(end - next))) != NULL) {
        struct cursor cursor = { ++next, end };
        uint64_t caller;

        if (cursor_text(&cursor, "0x") && cursor_number(&cursor, 16, &caller) &&
            cursor_byte(&cursor, '-') && cursor_digit(&cursor) < 16)
            return true;
    }
    return false;
}

/* Leave bytes of the line behind. */
static void pass(struct mem_trace_reader *reader, size_t size)
{
    byte_stream_pass(&reader->in, size);
    reader->line -= size;
}

static void skip(struct mem_trace_reader *reader, size_t size)
{
    byte_stream_skip(&reader->in, size, false);
    reader->line -= size;
}

/* The next event of the line, which is left behind to there. */
static bool next_of_line(struct mem_trace_reader *reader,
                         struct mem_trace_event *event)
{
    while (reader->line > 0) {
        const char *start = front(reader);
        const char *end = start + reader->line;
        const char *mark = find_mark(start, end);
        struct cursor cursor = { mark + MARK_SIZE, end };

        if (mark == end && reader->events > 0 &&
            reader->event_end == reader->in.offset)
            reader->told += (size_t)(mark - start); /* the end of the line */
        if (mark > start && is_remnant(start, mark))
            skip(reader, (size_t)(mark - start));
        else
            pass(reader, (size_t)(mark - start));
        if (mark == end)
            return false;
        *event = (struct mem_trace_event){ .op = (uint8_t)op_of(mark[1]) };
        if (get_event(&cursor, event)) {
            reader->events++;
            reader->event_offset = reader->in.offset;
            pass(reader, (size_t)(cursor.next - mark));
            reader->event_end = reader->in.offset;
            reader->told += reader->event_end - reader->event_offset;
            return true;
        }
        skip(reader, (size_t)(find_mark(mark + 1, end) - mark));
    }
    return false;
}

/* Where a line that has no end is cut: before an event that may be cut else. */
static size_t cut_length(const char *start, size_t length)
{
    for (size_t left = 1; left <= LONGEST_CUT; left++) {
        if (start[length - left] == '#')
            return length - left;
    }
    return length;
}

/* Bytes of the next line, or 0 when it is not all there. */
static size_t line_length(const struct mem_trace_reader *reader)
{
    size_t length = byte_stream_line(&reader->in);

    if (length < sizeof reader->bytes || reader->in.is_ended ||
        front(reader)[length - 1] == '\n')
        return length;
    return cut_length(front(reader), length);
}

/* What is said in a whole line that begins with a mark: "#lost:12". */
static uint64_t noted(const struct mem_trace_reader *reader, const char *mark,
                      size_t size)
{
    const char *start = front(reader);
    struct cursor cursor = { start + size, start + reader->line };
    uint64_t count;

    return reader->line > size && memcmp(start, mark, size) == 0 &&
                   cursor_number(&cursor, 10, &count) &&
                   cursor_byte(&cursor, '\n')
               ? count
               : 0;
}

static void note(struct mem_trace_reader *reader)
{
    static const char lost[] = "#lost:", sampled[] = "#sampled:";

    if (__builtin_add_overflow(
            reader->lost, noted(reader, lost, sizeof lost - 1), &reader->lost))
        reader->lost = UINT64_MAX;
    if (reader->sample_interval == 0)
        reader->sample_interval = noted(reader, sampled, sizeof sampled - 1);
}

bool mem_trace_reader_next(struct mem_trace_reader *reader,
                           struct mem_trace_event *event)
{
    for (;;) {
        if (next_of_line(reader, event))
            return true;
        reader->line = line_length(reader);
        if (reader->line == 0)
            return false;
        note(reader);
    }
}
