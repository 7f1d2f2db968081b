/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_reader.h - calls of allocation functions out of CTF, damaged or not
 *
 * Used as byte_stream.h shows. Whatever the bytes are: they are only read, in
 * constant memory. Only packets that are whole and undamaged are believed, and
 * at the end of the stream what is there of one that is cut off; what lies
 * between them is skipped and counted, and so are the events that are missing.
 * Events come in the order of their times, as the writer had them.
 */
#pragma once

#include "format/byte_stream.h"
#include "format/events/events_packet.h"
#include "format/events/events_wire.h"

enum { EVENTS_READER_CAPACITY = 2 * EVENTS_PACKET_LIMIT };

/* The fields up to the blank line may be read any time; the rest is private. */
struct events_reader {
    struct byte_stream in; /* to be fed; tells what was skipped */
    uint64_t events;       /* that were read */
    uint64_t discarded;    /* events that the writer says it lost */
    uint64_t missing;      /* events of packets that are missing or damaged */
    uint64_t packets;      /* undamaged ones, and one that is cut off */
    bool is_cut;           /* the stream ends within a packet */

    uint64_t last_ns;
    uint64_t next_event; /* event_seq_num that the next packet should have */
    struct events_packet packet; /* the open one */
    size_t packet_left; /* bytes of the open packet's events to be read */
    size_t trailer;     /* ... and then stepped over */
    uint32_t caller_count, thread_count;
    uint32_t threads[256];
    uint64_t callers[EVENTS_CALLER_LIMIT];
    unsigned char bytes[EVENTS_READER_CAPACITY];
};

/* Whether a stream that begins with these bytes is one of this kind. */
bool events_reader_knows(const unsigned char *bytes, size_t size);

void events_reader_open(struct events_reader *reader);

/* The next event; false: feed more, or after the end: that was all. */
bool events_reader_next(struct events_reader *reader,
                        struct mem_trace_event *event);
