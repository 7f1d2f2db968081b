/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_writer.h - calls of allocation functions into CTF, in whole packets
 *
 *     events_writer_open(&writer, process, buffer, sizeof buffer, sink);
 *     events_writer_add(&writer, &event);
 *     events_writer_flush(&writer);
 *
 * The events of all threads of one process, in the order of their times.
 * Nothing is allocated. What the sink refuses is dropped as a whole and
 * counted, and the next packet that gets through tells how many events that
 * were. The caller keeps others out.
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

/* Of the open packet when `packet` is its number. */
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
    uint64_t events;    /* calls in packets that were handed on */
    uint64_t discarded; /* calls lost, since the start */

    struct tally_zpl_sink sink;
    unsigned char *buffer;
    uint32_t capacity; /* less what an event and the sum may need */
    uint32_t used;     /* bytes of the open packet; 0: none is open */
    uint32_t pending;  /* calls in it */
    uint32_t process;
    uint32_t sequence; /* packets handed on */
    uint32_t packet;   /* the open packet's number, from 1 */
    uint32_t caller_count;
    uint32_t thread_count;
    uint32_t wide_count;   /* calls that both bases were too far from */
    uint64_t wide_address; /* of the last of them */
    uint64_t begin_ns, last_ns;
    uint64_t bases[EVENTS_WIDE]; /* near and far */
    bool has_base[EVENTS_WIDE];
    struct events_writer_thread threads[EVENTS_WRITER_THREAD_SLOTS];
    struct events_writer_caller callers[EVENTS_WRITER_CALLER_SLOTS];
};

/* Fewer bytes cannot hold an event with all that explains it. */
enum { EVENTS_WRITER_SMALLEST = 256 };

/*
 * `buffer` is the writer's from now on; of more than EVENTS_PACKET_LIMIT bytes
 * the rest is not used.
 */
void events_writer_open(struct events_writer *writer, uint32_t process,
                        void *buffer, uint32_t capacity,
                        struct tally_zpl_sink sink);

/*
 * Add an event. One that is older than the last gets that one's time, for in a
 * stream times do not go back.
 */
void events_writer_add(struct events_writer *writer,
                       const struct mem_trace_event *event);

/* So many calls were lost before they came here. */
void events_writer_lose(struct events_writer *writer, uint64_t count);

/* Hand on the open packet, if any. */
void events_writer_flush(struct events_writer *writer);

/*
 * The same, and if events were lost that no packet tells of yet, an empty
 * packet that does.
 */
void events_writer_finish(struct events_writer *writer);
