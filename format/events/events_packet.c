/* SPDX-License-Identifier: Apache-2.0 */
/* events_packet.c - see events_stream.h */
#include "format/events/events_stream.h"

#include "format/invariant.h"

/* The head is as long as its fields. */
STATIC_ASSERT(0 EVENTS_PACKET_HEADER_LIST(CTF_ADD)
                  EVENTS_PACKET_CONTEXT_LIST(CTF_ADD) == EVENTS_PACKET_HEAD);

void events_packet_write(unsigned char *bytes,
                         const struct events_packet *packet)
{
    struct events_packet head = *packet;
    const size_t size = head.packet_size / 8;
    unsigned char *out = bytes;

    head.magic = CTF_MAGIC;
    head.stream_id = EVENTS_STREAM_ID;
    head.content_size = head.packet_size - EVENTS_PACKET_TRAILER * 8;
    EVENTS_PACKET_HEADER_LIST(CTF_PUT)
    EVENTS_PACKET_CONTEXT_LIST(CTF_PUT)
    put_word_le(bytes + size - EVENTS_PACKET_TRAILER,
                ctf_packet_sum(bytes, size), EVENTS_PACKET_TRAILER);
}

bool events_packet_read(const unsigned char *bytes,
                        struct events_packet *packet)
{
    EVENTS_PACKET_HEADER_LIST(CTF_GET)
    EVENTS_PACKET_CONTEXT_LIST(CTF_GET)
    return packet->magic == CTF_MAGIC &&
           packet->stream_id == EVENTS_STREAM_ID &&
           packet->packet_size <= EVENTS_PACKET_LIMIT * 8 &&
           packet->packet_size >=
               (EVENTS_PACKET_HEAD + EVENTS_PACKET_TRAILER) * 8 &&
           packet->content_size ==
               packet->packet_size - EVENTS_PACKET_TRAILER * 8 &&
           packet->content_size % 8 == 0 &&
           packet->timestamp_begin <= packet->timestamp_end;
}
