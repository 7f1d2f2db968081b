/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace_text.h - calls of allocation functions, and their lines of text */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"
#include "format/text_out.h"

/*
 * One call of an allocation function, independent of its format.
 *
 * Events from text have neither time nor thread.
 */

/* In the order of MBED_MEM_TRACE_*. */
enum mem_trace_op {
    MEM_TRACE_MALLOC,
    MEM_TRACE_REALLOC,
    MEM_TRACE_CALLOC,
    MEM_TRACE_FREE,
    MEM_TRACE_OP_COUNT,
    /* Not a call; with sampling only: a small block outlived an epoch of its
       thread. */
    MEM_TRACE_PROMOTE = 6,
    /* Not a call; with sampling only: a frame of the next allocation, outermost
       first. `caller` 0: the frames further out are unknown. */
    MEM_TRACE_FRAME = 7,
};

/* Largest number of frames of an allocation. */
enum { MEM_TRACE_DEEPEST = 2000 };

struct mem_trace_event {
    uint64_t time_ns; /* since the zero of the writer's clock; 0 without a
                         time */
    uint64_t result;  /* result of the call; 0 for a failure and for a free */
    uint64_t caller;  /* return address of the call */
    uint64_t pointer; /* old block of a realloc; block that is freed or
                         promoted */
    uint64_t count;  /* elements of a calloc; frames left in the stack, this one
                        included; else 0 */
    uint64_t size;   /* bytes; of one element for a calloc; 0 for a free */
    uint32_t thread; /* 0: unknown */
    uint8_t op;      /* enum mem_trace_op */
    bool has_time;
    bool is_after_boot; /* text before it says that the device booted */
};

/* Return true for calls, which are counted even if lost; false for events that
   accompany a call. */
static inline bool mem_trace_is_call(const struct mem_trace_event *event)
{
    return event->op < MEM_TRACE_OP_COUNT;
}

/*
 * Calls of allocation functions as lines of text.
 *
 *     #m:0x20003240;0x600d-50                     malloc: size
 *     #r:0x20003300;0x6011-0x20003240;80          realloc: old block, size
 *     #c:0x20003400;0x6021-25;10                  calloc: count, size of each
 *     #f:0x0;0x602f-0x20003240                    free: block
 *
 * With sampling, tally record writes "#sampled:524288" first, the mean bytes
 * between samples, and before each allocation the frames of its stack,
 * outermost first, each with the number of frames left:
 *
 *     #s:0x0;0x6051-1
 *
 * A line has the result, the return address, and after the dash the arguments.
 * Tools for Mbed OS need exactly this form: lower-case addresses with 0x, 0x0
 * for NULL, decimal sizes, one newline.
 *
 * The reader accepts the output of any device's printf(): NULL may be "(nil)",
 * hexadecimal digits may be capitals and lack the 0x. Any text may precede an
 * event, such as a prompt or a colour; white space or a control character must
 * follow it, then possibly another event. The last line may lack its newline. A
 * line "#lost:12" says that 12 events are missing.
 *
 * Text of Zephyr or Mbed OS about a boot, between events, marks the next one.
 *
 * Text that begins like an event but is not one, and events without their
 * beginning, are skipped and counted, up to the next event or the end of the
 * line. See byte_stream.h for its use. The reader needs constant memory, for
 * lines of any length and bytes in any pieces.
 */

enum { MEM_TRACE_TEXT_MAX = 88 }; /* longest line in bytes */

/* By operation: the letter of its mark and the fields after the dash: p
   pointer, n count, s size. */
extern const char mem_trace_forms[8][4];

/* Write the line with newline, without NUL; return its length. An unknown op is
   "?". Any context. */
size_t mem_trace_text_write(char line[MEM_TRACE_TEXT_MAX],
                            const struct mem_trace_event *event);

/* Write a line from numbers in its order: result, caller, and the arguments. */
size_t mem_trace_text_write_words(char line[MEM_TRACE_TEXT_MAX], uint8_t op,
                                  const text_word words[4]);

enum { MEM_TRACE_READER_CAPACITY = 65536 };

/* The fields up to the blank line may be read any time; the rest is private. */
struct mem_trace_reader {
    struct byte_stream in; /* input; counts damaged pieces of lines */
    uint64_t events;
    uint64_t event_offset;    /* offset in the stream of the start of the last
                              event, */
    uint64_t event_end;       /* ... and of its end */
    uint64_t told;            /* bytes of events and of their line ends */
    uint64_t lost;            /* events missing, as stated by "#lost" */
    uint64_t sample_interval; /* stated by "#sampled"; or 0 */

    bool has_booted; /* since the last event */
    size_t line;     /* bytes of the current line from the front on; or 0 */
    char bytes[MEM_TRACE_READER_CAPACITY];
};

void mem_trace_reader_open(struct mem_trace_reader *reader);

/* Read the next event; return false if more must be fed or the stream has
   ended. */
bool mem_trace_reader_next(struct mem_trace_reader *reader,
                           struct mem_trace_event *event);
