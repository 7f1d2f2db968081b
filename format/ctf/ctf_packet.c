/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_packet.c - headers and trailers of packets
 *
 * Each step of the sum is invertible, so two packets that differ in one word
 * have different sums. Four sums of every fourth word are combined at the end,
 * so that multiplications do not wait for each other.
 */
#include "format/ctf/ctf_stream.h"

#include "format/invariant.h"

/* The head is as long as its fields. */
STATIC_ASSERT(0 CTF_PACKET_HEADER_LIST(CTF_ADD)
                  CTF_PACKET_CONTEXT_LIST(CTF_ADD) == CTF_PACKET_HEAD);
/* The trailer is as long as its fields. */
STATIC_ASSERT(0 CTF_PACKET_TRAILER_LIST(CTF_ADD) == CTF_PACKET_TRAILER);

static uint32_t sum_word(uint32_t sum, uint32_t word)
{
    sum = (sum ^ word) * UINT32_C(0x01000193);
    return sum ^ sum >> 15;
}

uint32_t ctf_packet_sum(const unsigned char *bytes, size_t size)
{
    uint32_t lanes[4] = { 1, 2, 3, 4 };
    uint32_t last = 0, sum = 0;

    size -= 4;
    for (; size >= 16; size -= 16, bytes += 16) {
        lanes[0] = sum_word(lanes[0], read_u32le(bytes));
        lanes[1] = sum_word(lanes[1], read_u32le(bytes + 4));
        lanes[2] = sum_word(lanes[2], read_u32le(bytes + 8));
        lanes[3] = sum_word(lanes[3], read_u32le(bytes + 12));
    }
    for (unsigned lane = 0; size >= 4; size -= 4, bytes += 4, lane++)
        lanes[lane] = sum_word(lanes[lane], read_u32le(bytes));
    for (size_t i = 0; i < size; i++)
        last |= (uint32_t)bytes[i] << (8 * i);
    for (unsigned lane = 0; lane < 4; lane++)
        sum = sum_word(sum, lanes[lane]);
    return sum_word(sum, last);
}

void ctf_packet_write(unsigned char *bytes, const struct ctf_packet *packet)
{
    struct ctf_packet head = *packet;
    const size_t size = head.packet_size / 8;
    unsigned char *out = bytes;

    head.magic = CTF_MAGIC;
    if (head.content_size == 0)
        head.content_size = head.packet_size - CTF_PACKET_TRAILER * 8;
    CTF_PACKET_HEADER_LIST(CTF_PUT)
    CTF_PACKET_CONTEXT_LIST(CTF_PUT)
    out = bytes + size - CTF_PACKET_TRAILER;
    head.checksum = 0;
    CTF_PACKET_TRAILER_LIST(CTF_PUT)
    put_word_le(bytes + size - 4, ctf_packet_sum(bytes, size), 4);
}

bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout)
{
    uint32_t id;

    CTF_PACKET_HEADER_LIST(CTF_GET)
    CTF_PACKET_CONTEXT_LIST(CTF_GET)
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
           packet->packet_size >= (CTF_PACKET_HEAD + CTF_PACKET_TRAILER) * 8 &&
           packet->packet_size % 8 == 0 &&
           (packet->content_size == CTF_PACKET_HEAD * 8 ||
            packet->content_size ==
                packet->packet_size - CTF_PACKET_TRAILER * 8) &&
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
    CTF_PACKET_TRAILER_LIST(CTF_GET)
    return packet->checksum == sum;
}
