/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_writer.h - turn events into CTF that is handed on in whole packets
 *
 *     ctf_writer_open(&writer, &layout, buffer, sizeof buffer, sink);
 *     ctf_writer_event(&writer, &event);
 *     ctf_writer_flush(&writer);
 *
 * Nothing is allocated, and nothing waits: what the sink refuses is dropped as
 * a whole and counted, and the next packet that gets through tells how many
 * events that were. The caller keeps others out.
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
    uint32_t pending;  /* events in it */
    uint64_t begin_ns, end_ns;
    uint32_t sequence;    /* packets handed on */
    uint32_t discarded;   /* events lost, since the start */
    uint32_t profiler_us; /* what the packet says there; the caller's */
};

/* Fewer bytes cannot hold an event with a packet's head. */
enum {
    CTF_WRITER_SMALLEST =
        CTF_PACKET_HEAD + CTF_EVENT_LARGEST + CTF_PACKET_TRAILER
};

/*
 * `buffer` is the writer's until another takes its place; of more than
 * CTF_PACKET_LIMIT bytes the rest is not used.
 */
void ctf_writer_open(struct ctf_writer *writer, const struct ctf_layout *layout,
                     void *buffer, uint32_t capacity,
                     struct tally_zpl_sink sink);

/*
 * Add an event. One that is older than the last gets that one's time, for in a
 * stream times do not go back.
 */
void ctf_writer_event(struct ctf_writer *writer, const struct zpl_event *event);

/* Hand on the buffered events, if any. */
void ctf_writer_flush(struct ctf_writer *writer);

/*
 * Hand on the stream's metadata in a packet without events, after those
 * buffered. `packet` has `size` bytes: the text, with CTF_PACKET_HEAD bytes of
 * room before it and CTF_PACKET_TRAILER behind; at most CTF_PACKET_LIMIT. For
 * streams of packets.
 */
void ctf_writer_describe(struct ctf_writer *writer, void *packet, uint32_t size,
                         uint64_t time_ns);
