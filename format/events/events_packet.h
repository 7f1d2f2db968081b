/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_packet.h - headers and trailers of packets of events_wire.h
 *
 *     | header: which | context: times, sizes, counts, bases | events | sum |
 *     0               8                                      72
 *
 * A packet is self-contained, so a damaged packet affects no other.
 * event_seq_num shows how many events it had. The sum lies in CTF's padding and
 * is computed as in ctf_packet.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* 'M' and the version; ids of ZPL's streams are small numbers. */
#define EVENTS_STREAM_ID UINT32_C(0x4d01)

enum {
    EVENTS_PACKET_HEAD = 72,
    EVENTS_PACKET_TRAILER = 4,
    EVENTS_PACKET_LIMIT = 131072, /* largest packet in bytes */
};

/* kind, field */
#define EVENTS_PACKET_HEADER_LIST(X) \
    X(u32, magic) /* CTF_MAGIC */    \
    X(u32, stream_id)
#define EVENTS_PACKET_CONTEXT_LIST(X)                               \
    X(time64, timestamp_begin) /* of the first event, in ns */      \
    X(time64, timestamp_end)   /* of the last event, in ns */       \
    X(u32, content_size)       /* bits, without the sum */          \
    X(u32, packet_size)        /* ... with the sum */               \
    X(u32, packet_seq_num)     /* packets sent before */            \
    X(u32, process)            /* pid */                            \
    X(u64, events_discarded)   /* events lost before this packet */ \
    X(u64, event_seq_num)      /* calls in earlier packets */       \
    X(address, near_base)                                           \
    X(address, far_base)

struct events_packet {
    uint64_t timestamp_begin;
    uint64_t timestamp_end;
    uint64_t events_discarded;
    uint64_t event_seq_num;
    uint64_t near_base;
    uint64_t far_base;
    uint32_t magic;
    uint32_t stream_id;
    uint32_t content_size;
    uint32_t packet_size;
    uint32_t packet_seq_num;
    uint32_t process;
};

/*
 * Write the header over the first EVENTS_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the sum over the last ones. Fill in magic,
 * stream_id and content_size.
 */
void events_packet_write(unsigned char *bytes,
                         const struct events_packet *packet);

/*
 * Read a header of EVENTS_PACKET_HEAD bytes. Return false for another magic or
 * stream, or impossible sizes. ctf_packet_is_whole() checks a complete packet
 * for damage.
 */
bool events_packet_read(const unsigned char *bytes,
                        struct events_packet *packet);
