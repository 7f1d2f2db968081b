/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_packet.h - what is around the events of a packet: which, when, what was
 * lost
 *
 *     | header: which | context: times, sizes, counts | events ... | trailer |
 *     0               8                               40
 *
 * docs/zpl-trace.md has the fields. No packet spans 2^32 ns, so that its times
 * tell which wrap of the 32-bit times in the events is meant. The sum in the
 * trailer changes whenever only one word does.
 *
 * A packet without events may have text before the trailer, in the padding: the
 * metadata of the stream that it is in, for readers that have nothing else.
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
    CTF_PACKET_LIMIT = 16384, /* bytes of a packet, at most */
};

/* kind, field. */
#define CTF_PACKET_HEADER_LIST(X) \
    X(u32, magic)                 \
    X(u32, stream_id) /* ctf_layout_stream_id() */
#define CTF_PACKET_CONTEXT_LIST(X)                              \
    X(time64, timestamp_begin) /* of the first event, in ns */  \
    X(time64, timestamp_end)   /* of the last one */            \
    X(u32, content_size)       /* bits, up to the last event */ \
    X(u32, packet_size)        /* ... with it */                \
    X(u32, packet_seq_num)     /* packets handed on so far */   \
    X(u32, events_discarded)   /* events lost so far */
#define CTF_PACKET_TRAILER_LIST(X)                                       \
    X(u32, profiler_us) /* microseconds that the profiler took so far */ \
    X(u32, checksum)    /* ctf_packet_sum() */

/* Of a field of a packet: its bytes; it goes from `head` to `out`, or comes
   from `bytes` to `*packet`. */
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
    uint32_t profiler_us; /* of a whole packet */
    uint32_t checksum;    /* ... */
};

/* The stream id that names the layout, so that no metadata is needed. */
static inline uint32_t ctf_layout_stream_id(const struct ctf_layout *layout)
{
    return (uint32_t)layout->version << 4 | layout->address_bytes;
}

/*
 * Write the head over the first CTF_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the trailer over the last ones. Magic,
 * checksum are filled in, and content_size if it is 0.
 */
void ctf_packet_write(unsigned char *bytes, const struct ctf_packet *packet);

/*
 * Read a head of CTF_PACKET_HEAD bytes. False when it is none: another magic,
 * no such layout, sizes that cannot be.
 */
bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout);

/*
 * Read the trailer of a packet that is all there, whose head was read. False
 * when it is damaged anywhere.
 */
bool ctf_packet_read_trailer(const unsigned char *bytes,
                             struct ctf_packet *packet);

/* The sum of all words of a packet but its last, where it is stored. */
uint32_t ctf_packet_sum(const unsigned char *bytes, size_t size);

static inline bool ctf_packet_is_whole(const unsigned char *bytes, size_t size)
{
    return read_u32le(bytes + size - 4) == ctf_packet_sum(bytes, size);
}
