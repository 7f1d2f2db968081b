/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_writer.h - write calls of allocation functions as CTF, in whole
 * packets
 *
 *     events_writer_open(&writer, process, buffer, sizeof buffer, sink);
 *     events_writer_add(&writer, &event);
 *     events_writer_flush(&writer);
 *
 * A stream has the events of all threads of one process, in the order of their
 * times. The writer does not allocate. A packet that the sink refuses is
 * dropped; its events are counted in the next packet that is sent. The caller
 * serializes calls.
 */
#pragma once

#include <stddef.h>

#include "format/events/events_packet.h"
#include "format/events/events_wire.h"
#include "tally/zpl_sink.h"

enum {
    EVENTS_WRITER_CALLER_SLOTS = 2 * EVENTS_CALLER_LIMIT,
    EVENTS_WRITER_THREAD_SLOTS = 256,
};

/* Valid for the open packet if `packet` is its number. */
struct events_writer_caller {
    uint64_t address;
    uint32_t packet;
    uint32_t index;
};

struct events_writer_thread {
    uint32_t tid;
    uint32_t packet;
    uint32_t index;
};

/* The fields up to the blank line may be read any time; the rest is private. */
struct events_writer {
    uint64_t events;    /* calls in packets that were sent */
    uint64_t discarded; /* calls lost since the start */

    struct tally_zpl_sink sink;
    unsigned char *buffer;
    uint32_t capacity; /* without room for one event and the sum */
    uint32_t used;     /* bytes of the open packet; 0: none is open */
    uint32_t pending;  /* calls in the open packet */
    uint32_t process;
    uint32_t sequence; /* packets sent */
    uint32_t packet;   /* number of the open packet, from 1 */
    uint32_t caller_count;
    uint32_t thread_count;
    uint32_t wide_count;   /* calls too far from both bases */
    uint64_t wide_address; /* address of the last of them */
    uint64_t begin_ns, last_ns;
    uint64_t bases[EVENTS_WIDE]; /* near and far */
    bool has_base[EVENTS_WIDE];
    struct events_writer_thread threads[EVENTS_WRITER_THREAD_SLOTS];
    struct events_writer_caller callers[EVENTS_WRITER_CALLER_SLOTS];
};

/* A smaller buffer cannot hold an event with its definitions. */
enum { EVENTS_WRITER_SMALLEST = 256 };

/* Open a writer, which owns `buffer` from now on. Bytes beyond
   EVENTS_PACKET_LIMIT are unused. */
void events_writer_open(struct events_writer *writer, uint32_t process,
                        void *buffer, uint32_t capacity,
                        struct tally_zpl_sink sink);

/* Add an event. A time before the last event's is raised to it, since times in
   a stream do not go back. */
void events_writer_add(struct events_writer *writer,
                       const struct mem_trace_event *event);

/* Count calls that were lost before they reached the writer. */
void events_writer_lose(struct events_writer *writer, uint64_t count);

/* Send the open packet, if any. */
void events_writer_flush(struct events_writer *writer);

/* Flush. If lost events are not reported yet, send an empty packet that reports
   them. */
void events_writer_finish(struct events_writer *writer);
