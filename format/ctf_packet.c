/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_packet.c - the head of a packet of events
 *
 * Each step of the sum can be undone, so two packets that differ in one word
 * differ in their sums.
 */
#include "format/ctf_packet.h"

#include "format/bytes.h"
#include "format/put_bytes.h"

enum { SUM_OFFSET = 8, SUM_END = 12 };

#define BYTES_u32    4
#define BYTES_time64 8

#define ADD(kind, name) +BYTES_##kind
_Static_assert(0 CTF_PACKET_HEADER_LIST(ADD)
                       CTF_PACKET_CONTEXT_LIST(ADD) == CTF_PACKET_HEAD,
               "the head is as long as its fields");

static uint32_t sum_word(uint32_t sum, uint32_t word)
{
    sum = (sum ^ word) * UINT32_C(0x01000193);
    return sum ^ sum >> 15;
}

static uint32_t sum_bytes(uint32_t sum, const unsigned char *bytes, size_t size)
{
    uint32_t last = 0;

    for (; size >= 4; size -= 4, bytes += 4)
        sum = sum_word(sum, read_u32le(bytes));
    if (size == 0)
        return sum;
    for (size_t i = 0; i < size; i++)
        last |= (uint32_t)bytes[i] << (8 * i);
    return sum_word(sum, last);
}

uint32_t ctf_packet_sum(const unsigned char *bytes, size_t size)
{
    uint32_t sum = sum_bytes(UINT32_C(0x811c9dc5), bytes, SUM_OFFSET);

    return sum_bytes(sum, bytes + SUM_END, size - SUM_END);
}

void ctf_packet_write(unsigned char *bytes, const struct ctf_packet *packet)
{
    struct ctf_packet head = *packet;
    unsigned char *out = bytes;

    head.magic = CTF_MAGIC;
    head.content_size = head.packet_size;
    head.checksum = 0;
#define PUT(kind, name) out = put_word_le(out, head.name, BYTES_##kind);
    CTF_PACKET_HEADER_LIST(PUT)
    CTF_PACKET_CONTEXT_LIST(PUT)
#undef PUT
    put_word_le(bytes + SUM_OFFSET, ctf_packet_sum(bytes, head.packet_size / 8),
                4);
}

bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout)
{
    uint32_t id;

#define READ_u32    read_u32le
#define READ_time64 read_u64le
#define GET(kind, name)                \
    packet->name = READ_##kind(bytes); \
    bytes += BYTES_##kind;
    CTF_PACKET_HEADER_LIST(GET)
    CTF_PACKET_CONTEXT_LIST(GET)
#undef GET
    id = packet->stream_id;
    if (packet->magic != CTF_MAGIC ||
        (id != 0x14 && id != 0x18 && id != 0x24 && id != 0x28))
        return false;
    *layout = (struct ctf_layout){
        .version = (uint8_t)(id >> 4),
        .address_bytes = (uint8_t)(id & 15),
        .has_packets = true,
    };
    return packet->content_size == packet->packet_size &&
           packet->packet_size % 8 == 0 &&
           packet->packet_size <= CTF_PACKET_LIMIT * 8 &&
           packet->packet_size >= CTF_PACKET_HEAD * 8 &&
           (packet->packet_size / 8 - CTF_PACKET_HEAD) %
                   ctf_layout_event_bytes(layout) ==
               0 &&
           packet->timestamp_end - packet->timestamp_begin <= UINT32_MAX;
}
