/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_packet.h - what is around the events of a packet of events_wire.h
 *
 *     | header: which | context: times, sizes, counts, bases | events | sum |
 *     0               8                                      72
 *
 * A packet needs nothing that stands in another, so one that is damaged takes
 * nothing else along. event_seq_num says how many events that were. The sum
 * lies where CTF has padding, as that of ctf_packet.h, and is the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* 'M' and the version; ZPL's streams have small numbers. */
#define EVENTS_STREAM_ID UINT32_C(0x4d01)

enum {
    EVENTS_PACKET_HEAD = 72,
    EVENTS_PACKET_TRAILER = 4,
    EVENTS_PACKET_LIMIT = 131072, /* bytes of a packet, at most */
};

/* kind, field. */
#define EVENTS_PACKET_HEADER_LIST(X) \
    X(u32, magic) /* CTF_MAGIC */    \
    X(u32, stream_id)
#define EVENTS_PACKET_CONTEXT_LIST(X)                                   \
    X(time64, timestamp_begin) /* of the first event, in ns */          \
    X(time64, timestamp_end)   /* of the last one */                    \
    X(u32, content_size)       /* bits, without the sum */              \
    X(u32, packet_size)        /* ... with it */                        \
    X(u32, packet_seq_num)     /* packets handed on so far */           \
    X(u32, process)            /* its number */                         \
    X(u64, events_discarded)   /* events lost before they got so far */ \
    X(u64, event_seq_num)      /* calls in the packets before */        \
    X(address, near_base)                                               \
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
 * Write the head over the first EVENTS_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the sum over the last ones. Magic, stream_id
 * and content_size are filled in.
 */
void events_packet_write(unsigned char *bytes,
                         const struct events_packet *packet);

/*
 * Read a head of EVENTS_PACKET_HEAD bytes. False when it is none: another magic
 * or stream, sizes that cannot be. ctf_packet_is_whole() says of a packet that
 * is all there whether it is undamaged.
 */
bool events_packet_read(const unsigned char *bytes,
                        struct events_packet *packet);
