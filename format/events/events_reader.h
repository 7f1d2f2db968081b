/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_reader.h - read calls of allocation functions from CTF, even if
 * damaged
 *
 * See byte_stream.h for its use. The reader takes any bytes, in constant
 * memory. It accepts complete, undamaged packets, and a truncated packet at the
 * end of the stream. Bytes between packets are skipped and counted; missing
 * events are counted. Events are returned in the order of their times, as
 * written.
 */
#pragma once

#include "format/byte_stream.h"
#include "format/events/events_packet.h"
#include "format/events/events_wire.h"

enum { EVENTS_READER_CAPACITY = 2 * EVENTS_PACKET_LIMIT };

/* The fields up to the blank line may be read any time; the rest is private. */
struct events_reader {
    struct byte_stream in; /* input; counts skipped bytes */
    uint64_t events;       /* events read */
    uint64_t discarded;    /* events that the writer reports as lost */
    uint64_t missing;      /* events of missing or damaged packets */
    uint64_t packets;      /* undamaged packets, and a truncated last one */
    bool is_cut;           /* the stream ends within a packet */

    uint64_t last_ns;
    uint64_t next_event;         /* event_seq_num expected in the next packet */
    struct events_packet packet; /* the open packet */
    size_t packet_left;          /* unread bytes of events in the open packet */
    size_t trailer;              /* ... followed by this many bytes of sum */
    uint32_t caller_count, thread_count;
    uint32_t threads[256];
    uint64_t callers[EVENTS_CALLER_LIMIT];
    unsigned char bytes[EVENTS_READER_CAPACITY];
};

/* Return true if a stream that begins with these bytes is of this kind. */
bool events_reader_knows(const unsigned char *bytes, size_t size);

void events_reader_open(struct events_reader *reader);

/* Read the next event; return false if more must be fed or the stream has
   ended. */
bool events_reader_next(struct events_reader *reader,
                        struct mem_trace_event *event);
