/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_packet_reader.c - what is around the events of a packet, read */
#include "format/bytes.h"
#include "format/ctf/ctf_packet.h"

bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout)
{
    uint32_t id;

#define READ_u32    read_u32le
#define READ_time64 read_u64le
#define GET(kind, name)                \
    packet->name = READ_##kind(bytes); \
    bytes += CTF_PACKET_BYTES_##kind;
    CTF_PACKET_HEADER_LIST(GET)
    CTF_PACKET_CONTEXT_LIST(GET)
    id = packet->stream_id;
    if (packet->magic != CTF_MAGIC ||
        (id != 0x14 && id != 0x18 && id != 0x24 && id != 0x28))
        return false;
    *layout = (struct ctf_layout){
        .version = (uint8_t)(id >> 4),
        .address_bytes = (uint8_t)(id & 15),
        .has_packets = true,
    };
    return packet->packet_size <= CTF_PACKET_LIMIT * 8 &&
           packet->content_size >= CTF_PACKET_HEAD * 8 &&
           packet->packet_size >= (CTF_PACKET_HEAD + CTF_PACKET_TRAILER) * 8 &&
           packet->packet_size % 8 == 0 &&
           (packet->content_size == CTF_PACKET_HEAD * 8 ||
            packet->content_size ==
                packet->packet_size - CTF_PACKET_TRAILER * 8) &&
           packet->content_size % 8 == 0 &&
           (packet->content_size / 8 - CTF_PACKET_HEAD) %
                   ctf_layout_event_bytes(layout) ==
               0 &&
           packet->timestamp_end - packet->timestamp_begin <= UINT32_MAX;
}

bool ctf_packet_read_trailer(const unsigned char *bytes,
                             struct ctf_packet *packet)
{
    const size_t size = packet->packet_size / 8;
    const uint32_t sum = ctf_packet_sum(bytes, size);

    bytes += size - CTF_PACKET_TRAILER;
    CTF_PACKET_TRAILER_LIST(GET)
    return packet->checksum == sum;
}
