/* SPDX-License-Identifier: Apache-2.0 */
/* events_packet.c - see events_packet.h */
#include "format/events/events_packet.h"

#include "format/bytes.h"
#include "format/ctf/ctf_packet.h"

#define BYTES_u32     4
#define BYTES_u64     8
#define BYTES_time64  8
#define BYTES_address 8

#define ADD(kind, name) +BYTES_##kind
_Static_assert(0 EVENTS_PACKET_HEADER_LIST(ADD)
                       EVENTS_PACKET_CONTEXT_LIST(ADD) == EVENTS_PACKET_HEAD,
               "the head is as long as its fields");

void events_packet_write(unsigned char *bytes,
                         const struct events_packet *packet)
{
    struct events_packet head = *packet;
    const size_t size = head.packet_size / 8;
    unsigned char *out = bytes;

    head.magic = CTF_MAGIC;
    head.stream_id = EVENTS_STREAM_ID;
    head.content_size = head.packet_size - EVENTS_PACKET_TRAILER * 8;
#define PUT(kind, name) out = put_word_le(out, head.name, BYTES_##kind);
    EVENTS_PACKET_HEADER_LIST(PUT)
    EVENTS_PACKET_CONTEXT_LIST(PUT)
#undef PUT
    put_word_le(bytes + size - EVENTS_PACKET_TRAILER,
                ctf_packet_sum(bytes, size), EVENTS_PACKET_TRAILER);
}

bool events_packet_read(const unsigned char *bytes,
                        struct events_packet *packet)
{
#define GET(kind, name)                                                        \
    packet->name = (__typeof__(packet->name))get_word_le(bytes, BYTES_##kind); \
    bytes += BYTES_##kind;
    EVENTS_PACKET_HEADER_LIST(GET)
    EVENTS_PACKET_CONTEXT_LIST(GET)
#undef GET
    return packet->magic == CTF_MAGIC &&
           packet->stream_id == EVENTS_STREAM_ID &&
           packet->packet_size <= EVENTS_PACKET_LIMIT * 8 &&
           packet->content_size >= EVENTS_PACKET_HEAD * 8 &&
           packet->content_size ==
               packet->packet_size - EVENTS_PACKET_TRAILER * 8 &&
           packet->content_size % 8 == 0 &&
           packet->timestamp_begin <= packet->timestamp_end;
}

bool events_packet_is_whole(const unsigned char *bytes,
                            const struct events_packet *packet)
{
    const size_t size = packet->packet_size / 8;

    return read_u32le(bytes + size - EVENTS_PACKET_TRAILER) ==
           ctf_packet_sum(bytes, size);
}
