/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace_text.h - calls of allocation functions as lines of text
 *
 *     #m:0x20003240;0x600d-50                     malloc: size
 *     #r:0x20003300;0x6011-0x20003240;80          realloc: old block, size
 *     #c:0x20003400;0x6021-25;10                  calloc: count, size of each
 *     #f:0x0;0x602f-0x20003240                    free: block
 *
 * Where tally record samples, "#sampled:524288" comes first, how many bytes lie
 * between samples, and before an allocation the frames that called its caller,
 * outermost first, each with how many are left:
 *
 *     #s:0x0;0x6051-1
 *
 * The result, where it was called, and behind the dash what it was given. Tools
 * for Mbed OS want just this: lower-case addresses behind 0x, 0x0 for NULL,
 * decimal sizes, one newline.
 *
 * It is read as any device's printf() writes it: NULL may be "(nil)",
 * hexadecimal digits may be capitals and lack the 0x. Before an event there may
 * be anything, such as a prompt or a colour; behind it white space, a control
 * character or another event behind one of these. The last line may lack its
 * newline. A line "#lost:12" says that so many events are missing.
 *
 * What begins like an event and is none, and what has lost its beginning, is
 * skipped and counted, up to the next event or the end of the line. The reader
 * is used as byte_stream.h shows, in constant memory, however the bytes are cut
 * and however long lines are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"
#include "format/text/mem_trace_event.h"
#include "format/text_out.h"

enum { MEM_TRACE_TEXT_MAX = 88 }; /* bytes of a line, at most */

/* By operation: the letter of its mark and what is behind the dash: p the
   pointer, n the count, s the size. */
extern const char mem_trace_forms[8][4];

/*
 * Write the line with its newline, without a NUL, and return its length. An op
 * that there is not is "?". Any context.
 */
size_t mem_trace_text_write(char line[MEM_TRACE_TEXT_MAX],
                            const struct mem_trace_event *event);

/* The same of numbers in the order of the line: result, caller, and what
   follows. */
size_t mem_trace_text_write_words(char line[MEM_TRACE_TEXT_MAX], uint8_t op,
                                  const text_word words[4]);

enum { MEM_TRACE_READER_CAPACITY = 65536 };

/* What was read so far may be looked at; the rest is private. */
struct mem_trace_reader {
    struct byte_stream in; /* to be fed; tells damaged pieces of lines */
    uint64_t events;
    uint64_t event_offset; /* where in the stream the last one begins, */
    uint64_t event_end;    /* ... and ends */
    uint64_t told;         /* bytes of events and of the ends of their lines */
    uint64_t lost;         /* events that are missing, as its lines say */
    uint64_t sample_interval; /* as its line says; or 0 */

    size_t line; /* bytes of the line that first is in, from there on; or 0 */
    char bytes[MEM_TRACE_READER_CAPACITY];
};

void mem_trace_reader_open(struct mem_trace_reader *reader);

/* The next event; false: feed more, or it is over. */
bool mem_trace_reader_next(struct mem_trace_reader *reader,
                           struct mem_trace_event *event);
