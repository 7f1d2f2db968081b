/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_packet.h - the head of a packet of events: which, when, and what was lost
 *
 *     | header: which, and its sum | context: times, sizes, counts | events ... |
 *     0                            16                              48
 *
 * The packet's times have 64 bits, so that a reader knows which wrap of the
 * 32-bit times in the events is meant: no packet spans 2^32 ns. The sum over
 * all bytes tells a damaged packet from a whole one; it changes whenever only
 * one word does.
 */
#ifndef TALLY_FORMAT_CTF_PACKET_H
#define TALLY_FORMAT_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/ctf_layout.h"

#define CTF_MAGIC UINT32_C(0xC1FC1FC1)

enum {
    CTF_PACKET_HEAD = 48,
    CTF_PACKET_LIMIT = 16384, /* bytes of a packet, at most */
};

/* kind, field. What babeltrace2 need not show is in the header. */
#define CTF_PACKET_HEADER_LIST(X)                               \
    X(u32, magic)                                               \
    X(u32, stream_id)   /* ctf_layout_stream_id() */            \
    X(u32, checksum)    /* ctf_packet_sum(), over all others */ \
    X(u32, profiler_us) /* microseconds that the profiler took so far */
#define CTF_PACKET_CONTEXT_LIST(X)                                 \
    X(time64, timestamp_begin) /* of the first event, in ns */     \
    X(time64, timestamp_end)   /* of the last one */               \
    X(u32, content_size)       /* bits, all of it */               \
    X(u32, packet_size)        /* the same: there is no padding */ \
    X(u32, packet_seq_num)     /* packets handed on so far */      \
    X(u32, events_discarded)   /* events lost so far */

struct ctf_packet {
    uint64_t timestamp_begin;
    uint64_t timestamp_end;
    uint32_t magic;
    uint32_t stream_id;
    uint32_t checksum;
    uint32_t profiler_us;
    uint32_t content_size;
    uint32_t packet_size;
    uint32_t packet_seq_num;
    uint32_t events_discarded;
};

/* The stream id that names the layout, so that no metadata is needed. */
static inline uint32_t ctf_layout_stream_id(const struct ctf_layout *layout)
{
    return (uint32_t)layout->version << 4 | layout->address_bytes;
}

/*
 * Write the head over the first CTF_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the sum of it all in its place. Magic,
 * content_size and checksum are filled in.
 */
void ctf_packet_write(unsigned char *bytes, const struct ctf_packet *packet);

/*
 * Read a head of CTF_PACKET_HEAD bytes. False when it is none: another magic,
 * no such layout, sizes that cannot be. The sum is not looked at.
 */
bool ctf_packet_read(const unsigned char *bytes, struct ctf_packet *packet,
                     struct ctf_layout *layout);

/* The sum of a whole packet, its head included. */
uint32_t ctf_packet_sum(const unsigned char *bytes, size_t size);

#endif /* TALLY_FORMAT_CTF_PACKET_H */
