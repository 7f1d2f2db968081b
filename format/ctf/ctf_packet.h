/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_packet.h - headers and trailers of packets
 *
 *     | header: which | context: times, sizes, counts | events ... | trailer |
 *     0               8                               40
 *
 * docs/zpl-trace.md documents the fields. No packet spans 2^32 ns, so that its
 * times extend the 32-bit times of its events. The sum in the trailer detects
 * any change of a single word.
 *
 * A packet without events may hold text in the padding before the trailer: the
 * stream's metadata, for readers that have no separate file.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"
#include "format/ctf/zpl_event.h"

#define CTF_MAGIC UINT32_C(0xC1FC1FC1)

enum {
    CTF_PACKET_HEAD = 40,
    CTF_PACKET_TRAILER = 8,
    CTF_PACKET_LIMIT = 16384, /* largest packet in bytes */
};

/* kind, field */
#define CTF_PACKET_HEADER_LIST(X) \
    X(u32, magic)                 \
    X(u32, stream_id) /* ctf_layout_stream_id() */
#define CTF_PACKET_CONTEXT_LIST(X)                                    \
    X(time64, timestamp_begin) /* of the first event, in ns */        \
    X(time64, timestamp_end)   /* of the last event, in ns */         \
    X(u32, content_size)       /* bits, up to the last event */       \
    X(u32, packet_size)        /* ... padding and trailer included */ \
    X(u32, packet_seq_num)     /* packets sent before */              \
    X(u32, events_discarded)   /* events lost so far */
#define CTF_PACKET_TRAILER_LIST(X)                                      \
    X(u32, profiler_us) /* microseconds spent in the profiler so far */ \
    X(u32, checksum)    /* ctf_packet_sum() */

/* Bytes of a field. PUT copies it from `head` to `out`, GET from `bytes` to
   `*packet`. */
#define CTF_BYTES_u32       4
#define CTF_BYTES_u64       8
#define CTF_BYTES_time64    8
#define CTF_BYTES_address   8
#define CTF_ADD(kind, name) +CTF_BYTES_##kind
#define CTF_PUT(kind, name) out = put_word_le(out, head.name, CTF_BYTES_##kind);
#define CTF_GET(kind, name)                                             \
    packet->name =                                                      \
        (__typeof__(packet->name))get_word_le(bytes, CTF_BYTES_##kind); \
    bytes += CTF_BYTES_##kind;

struct ctf_packet {
    uint64_t timestamp_begin;
    uint64_t timestamp_end;
    uint32_t magic;
    uint32_t stream_id;
    uint32_t content_size;
    uint32_t packet_size;
    uint32_t packet_seq_num;
    uint32_t events_discarded;
    uint32_t profiler_us; /* only of complete packets */
    uint32_t checksum;    /* only of complete packets */
};

/* Return the stream id that identifies the layout, so that readers need no
   metadata. */
static inline uint32_t ctf_layout_stream_id(const struct ctf_layout *layout)
{
    return (uint32_t)layout->version << 4 | layout->address_bytes;
}

/*
 * Write the header over the first CTF_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the trailer over the last ones. Fill in
 * magic, checksum, and content_size if it is 0.
 */
void ctf_packet_write(unsigned char *bytes, const struct ctf_packet *packet);

/* Read a header of CTF_PACKET_HEAD bytes. Return false for another magic, an
   unknown layout, or impossible sizes. */
bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout);

/* Read the trailer of a complete packet whose header was read. Return false if
   any part of the packet is damaged. */
bool ctf_packet_read_trailer(const unsigned char *bytes,
                             struct ctf_packet *packet);

/* Return the sum of all words of a packet but the last, which stores it. */
uint32_t ctf_packet_sum(const unsigned char *bytes, size_t size);

static inline bool ctf_packet_is_whole(const unsigned char *bytes, size_t size)
{
    return read_u32le(bytes + size - 4) == ctf_packet_sum(bytes, size);
}
