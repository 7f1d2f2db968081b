/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_writer.h - write events as CTF, in whole packets
 *
 *     ctf_writer_open(&writer, &layout, buffer, sizeof buffer, sink);
 *     ctf_writer_event(&writer, &event);
 *     ctf_writer_flush(&writer);
 *
 * The writer does not allocate or wait. A packet that the sink refuses is
 * dropped; its events are counted in the next packet that is sent. The caller
 * serializes calls.
 */
#pragma once

#include "format/ctf/ctf_packet.h"
#include "format/ctf/zpl_event.h"
#include "tally/zpl_sink.h"

struct ctf_writer {
    struct ctf_layout layout;
    struct tally_zpl_sink sink;
    unsigned char *buffer;
    uint32_t capacity; /* without the trailer */
    uint32_t used;     /* bytes of the open packet; 0: none is open */
    uint32_t pending;  /* events in the open packet */
    uint64_t begin_ns, end_ns;
    uint32_t sequence;    /* packets sent */
    uint32_t discarded;   /* events lost since the start */
    uint32_t profiler_us; /* set by the caller, for the packet's trailer */
};

/* A smaller buffer cannot hold an event with a packet's header. */
enum {
    CTF_WRITER_SMALLEST =
        CTF_PACKET_HEAD + CTF_EVENT_LARGEST + CTF_PACKET_TRAILER
};

/* Open a writer, which owns `buffer` until the next open. Bytes beyond
   CTF_PACKET_LIMIT are unused. */
void ctf_writer_open(struct ctf_writer *writer, const struct ctf_layout *layout,
                     void *buffer, uint32_t capacity,
                     struct tally_zpl_sink sink);

/* Add an event. A time before the last event's is raised to it, since times in
   a stream do not go back. */
void ctf_writer_event(struct ctf_writer *writer, const struct zpl_event *event);

/* Send the buffered events, if any. */
void ctf_writer_flush(struct ctf_writer *writer);

/*
 * Send the buffered events, then the stream's metadata in a packet without
 * events. `packet` has `size` bytes, at most CTF_PACKET_LIMIT: the text, with
 * CTF_PACKET_HEAD free bytes before and CTF_PACKET_TRAILER after it. For
 * streams with packets.
 */
void ctf_writer_describe(struct ctf_writer *writer, void *packet, uint32_t size,
                         uint64_t time_ns);
