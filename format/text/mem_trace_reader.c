/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_reader.c - read calls of allocation functions from lines of text
 *
 * A line is read once its newline has arrived, so that numbers are complete. A
 * line longer than the buffer is read in parts, split before an event.
 *
 * An event's line is written at once, so other text directly after a number
 * means that bytes were lost, maybe its last digits. So two events must not
 * touch.
 */
#include "format/text/mem_trace_text.h"

#include <string.h>

#include "format/cursor.h"

enum {
    MARK_SIZE = 3,     /* "#m:" */
    LONGEST_CUT = 512, /* bytes at the end of a part that are left for the next
                          one */
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

/* Parse a pointer as libraries print "%p". */
static bool get_pointer(struct cursor *cursor, uint64_t *value)
{
    if (cursor_text(cursor, "(nil)")) {
        *value = 0;
        return true;
    }
    (void)(cursor_text(cursor, "0x") || cursor_text(cursor, "0X"));
    return cursor_number(cursor, 16, value);
}

/* Parse the arguments of the call, after the caller. */
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

/* Return the operation of a mark's letter, or MEM_TRACE_OP_COUNT. */
static unsigned op_of(char letter)
{
    for (unsigned op = 0; op < sizeof mem_trace_forms / 4; op++) {
        if (letter != '\0' && mem_trace_forms[op][0] == letter)
            return op;
    }
    return MEM_TRACE_OP_COUNT;
}

/* Return the start of the next event, or the end. */
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

/* Return true if the text contains a part that only events have: ";0x600d-" and
   a digit. */
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

/* Return true if the text says that Zephyr has booted, or Mbed OS will. */
static bool is_of_boot(const char *next, const char *end)
{
    for (; next < end; next++) {
        struct cursor cursor = { next, end };

        if ((*next == '*' && cursor_text(&cursor, "*** Booting ")) ||
            (*next == '=' && cursor_text(&cursor, "= System will be reboot")))
            return true;
    }
    return false;
}

/* Consume bytes of the line without an event. */
static void pass_text(struct mem_trace_reader *reader, size_t size,
                      bool is_damaged)
{
    if (reader->events > 0 && is_of_boot(front(reader), front(reader) + size))
        reader->has_booted = true;
    if (is_damaged)
        byte_stream_skip(&reader->in, size, false);
    else
        byte_stream_pass(&reader->in, size);
    reader->line -= size;
}

/* Read the next event of the line and consume the line up to it. */
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
        pass_text(reader, (size_t)(mark - start),
                  mark > start && is_remnant(start, mark));
        if (mark == end)
            return false;
        *event = (struct mem_trace_event){
            .op = (uint8_t)op_of(mark[1]),
            .is_after_boot = reader->has_booted,
        };
        if (get_event(&cursor, event)) {
            reader->events++;
            reader->has_booted = false;
            reader->event_offset = reader->in.offset;
            byte_stream_pass(&reader->in, (size_t)(cursor.next - mark));
            reader->line -= (size_t)(cursor.next - mark);
            reader->event_end = reader->in.offset;
            reader->told += reader->event_end - reader->event_offset;
            return true;
        }
        pass_text(reader, (size_t)(find_mark(mark + 1, end) - mark), true);
    }
    return false;
}

/* Return the length at which to split a line without end: before an event that
   would be split. */
static size_t cut_length(const char *start, size_t length)
{
    for (size_t left = 1; left <= LONGEST_CUT; left++) {
        if (start[length - left] == '#')
            return length - left;
    }
    return length;
}

/* Return the length of the next line, or 0 if it is incomplete. */
static size_t line_length(const struct mem_trace_reader *reader)
{
    size_t length = byte_stream_line(&reader->in);

    if (length < sizeof reader->bytes || reader->in.is_ended ||
        front(reader)[length - 1] == '\n')
        return length;
    return cut_length(front(reader), length);
}

/* Return the number in a complete line that begins with a mark: "#lost:12". */
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
