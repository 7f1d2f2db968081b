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

enum {
    MARK_SIZE = 3,     /* "#m:" */
    LONGEST_CUT = 512, /* bytes of a part that are left for the next one */
};

/* What is left of a line. */
struct cursor {
    const char *next;
    const char *end;
};

/* A digit's value, or 16. */
static const uint8_t digits[256] = {
/* clang-format off */
#define NO4  16, 16, 16, 16
#define NO16 NO4, NO4, NO4, NO4
    NO16, NO16, NO16,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 16, NO4,
    16, 10, 11, 12, 13, 14, 15, 16, NO4, NO4, NO16,
    16, 10, 11, 12, 13, 14, 15, 16, NO4, NO4, NO16,
    NO16, NO16, NO16, NO16, NO16, NO16, NO16, NO16,
#undef NO16
#undef NO4
    /* clang-format on */
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

static bool get_byte(struct cursor *cursor, char byte)
{
    if (cursor->next == cursor->end || *cursor->next != byte)
        return false;
    cursor->next++;
    return true;
}

static unsigned next_digit(const struct cursor *cursor)
{
    return cursor->next < cursor->end ? digits[(unsigned char)*cursor->next]
                                      : 16;
}

static bool get_number(struct cursor *cursor, unsigned base, uint64_t *value)
{
    unsigned digit = next_digit(cursor);
    uint64_t number = 0;

    if (digit >= base)
        return false;
    for (; digit < base; digit = next_digit(cursor)) {
        if (__builtin_mul_overflow(number, base, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return false;
        cursor->next++;
    }
    *value = number;
    return true;
}

/* As libraries print "%p". */
static bool get_pointer(struct cursor *cursor, uint64_t *value)
{
    static const char nil[] = "(nil)";
    size_t left = (size_t)(cursor->end - cursor->next);

    if (left > 2 && cursor->next[0] == '0' &&
        (cursor->next[1] == 'x' || cursor->next[1] == 'X')) {
        cursor->next += 2;
    } else if (left >= sizeof nil - 1 &&
               memcmp(cursor->next, nil, sizeof nil - 1) == 0) {
        cursor->next += sizeof nil - 1;
        *value = 0;
        return true;
    }
    return get_number(cursor, 16, value);
}

/* Behind the caller: what the function was called with. */
static bool get_arguments(struct cursor *cursor, struct mem_trace_event *event)
{
    switch (event->op) {
    case MEM_TRACE_MALLOC:
        return get_number(cursor, 10, &event->size);
    case MEM_TRACE_REALLOC:
        return get_pointer(cursor, &event->pointer) && get_byte(cursor, ';') &&
               get_number(cursor, 10, &event->size);
    case MEM_TRACE_FRAME:
        return get_number(cursor, 10, &event->count);
    case MEM_TRACE_CALLOC:
        return get_number(cursor, 10, &event->count) && get_byte(cursor, ';') &&
               get_number(cursor, 10, &event->size);
    default:
        return get_pointer(cursor, &event->pointer);
    }
}

static bool get_event(struct cursor *cursor, struct mem_trace_event *event)
{
    return get_pointer(cursor, &event->result) && get_byte(cursor, ';') &&
           get_pointer(cursor, &event->caller) && get_byte(cursor, '-') &&
           get_arguments(cursor, event) &&
           (cursor->next == cursor->end || (unsigned char)*cursor->next <= ' ');
}

/* Which function the letter of a mark stands for; MEM_TRACE_OP_COUNT: none. */
static enum mem_trace_op op_of(char letter)
{
    switch (letter) {
    case 'm':
        return MEM_TRACE_MALLOC;
    case 'r':
        return MEM_TRACE_REALLOC;
    case 'c':
        return MEM_TRACE_CALLOC;
    case 'f':
        return MEM_TRACE_FREE;
    case 's':
        return MEM_TRACE_FRAME;
    default:
        return MEM_TRACE_OP_COUNT;
    }
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

        if (get_byte(&cursor, '0') && get_byte(&cursor, 'x') &&
            get_number(&cursor, 16, &caller) && get_byte(&cursor, '-') &&
            next_digit(&cursor) < 16)
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
    byte_stream_skip_piece(&reader->in, size);
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
                   get_number(&cursor, 10, &count) && get_byte(&cursor, '\n')
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
