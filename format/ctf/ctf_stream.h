/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_stream.h - CTF streams of ZPL events: metadata, packets, writer */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/bytes.h"
#include "format/ctf/zpl_event.h"
#include "format/text_out.h"
#include "tally/zpl_sink.h"

/* Building blocks of TSDL metadata. */

/*
 * Format text: %s a string, %u a uint32_t, %x a uint64_t as 0x and 16 digits,
 * %q a string literal without quotes, backslashes and unprintable characters.
 */
void tsdl_put(struct text_out *text, const char *format, ...);

/* Body of a struct; %s its fields. */
#define TSDL_STRUCT " := struct {\n%s};\n"

/* Declare unsigned, little-endian integers named "<name><bits>_t". `more` is
   TSDL_TIME or "". */
#define TSDL_TIME " map = clock.monotonic.value;"
void tsdl_put_integer(struct text_out *text, unsigned bits, unsigned alignment,
                      const char *more, const char *name);

/* Declare address_t, shown in hexadecimal. */
void tsdl_put_address(struct text_out *text, unsigned bits);

/* Objects that can have a name. */
enum ctf_named {
    CTF_NAMED_THREAD, /* by its id */
    CTF_NAMED_REGION, /* by its address */
};

struct ctf_name {
    const char *name; /* NULL ends the list */
    uint64_t number;
    enum ctf_named what;
};

/* Metadata other than the layout of the stream. */
struct ctf_surroundings {
    uint64_t clock_zero_ns; /* time since 1970 at the clock's zero; 0:
                               unknown */
    const char *program;    /* path of the executable; NULL: unknown */
    uint64_t load_address;  /* addresses in memory minus those in its file */
    uint32_t process;       /* pid; 0: unknown */
    /* Bytes between samples: only sampled blocks are recorded; 0: all are. */
    uint64_t sample_interval;
    const struct ctf_name *names; /* NULL: none */
};

/* Write the trace with the fields of its packet header (NULL: no packets), the
   environment, and a clock of 1 GHz named monotonic. */
void tsdl_put_trace(struct text_out *text, const char *packet_header,
                    const struct ctf_surroundings *surroundings);

/*
 * Write the metadata of a ZPL stream.
 *
 * This is the file `metadata` in a trace's folder: TSDL 1.8, self-contained. It
 * declares a clock of 1 GHz, the packet header if the stream has packets, and
 * the event; for an unknown layout, the clock alone.
 */

enum { CTF_METADATA_CAPACITY = 4096 }; /* enough for metadata without names */

/* Write the text without a NUL; return its length. If that exceeds `capacity`,
   the text was truncated. */
size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings);

/*
 * Headers and trailers of packets.
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

/*
 * Write events as CTF, in whole packets.
 *
 *     ctf_writer_open(&writer, &layout, buffer, sizeof buffer, sink);
 *     ctf_writer_event(&writer, &event);
 *     ctf_writer_flush(&writer);
 *
 * The writer does not allocate or wait. A packet that the sink refuses is
 * dropped; its events are counted in the next packet that is sent. The caller
 * serializes calls.
 */

struct ctf_writer {
    struct ctf_layout layout;
    struct tally_zpl_sink sink;
    unsigned char *buffer;
    uint32_t capacity; /* without the trailer */
    uint32_t used;     /* bytes of the open packet; 0: none is open */
    uint32_t pending;  /* events in the open packet */
    uint64_t begin_ns, end_ns;
    uint32_t sequence;    /* packets sent */
    uint32_t discarded;   /* events lost since the start */
    uint32_t profiler_us; /* set by the caller, for the packet's trailer */
};

/* A smaller buffer cannot hold an event with a packet's header. */
enum {
    CTF_WRITER_SMALLEST =
        CTF_PACKET_HEAD + CTF_EVENT_LARGEST + CTF_PACKET_TRAILER
};

/* Open a writer, which owns `buffer` until the next open. Bytes beyond
   CTF_PACKET_LIMIT are unused. */
void ctf_writer_open(struct ctf_writer *writer, const struct ctf_layout *layout,
                     void *buffer, uint32_t capacity,
                     struct tally_zpl_sink sink);

/* Add an event. A time before the last event's is raised to it, since times in
   a stream do not go back. */
void ctf_writer_event(struct ctf_writer *writer, const struct zpl_event *event);

/* Add the name of a thread, as an event; not in packets, which hold memory
   events only. */
void ctf_writer_name(struct ctf_writer *writer, uint32_t thread,
                     const char *name, uint64_t time_ns);

/* Send the buffered events, if any. */
void ctf_writer_flush(struct ctf_writer *writer);

/*
 * Send the buffered events, then the stream's metadata in a packet without
 * events. `packet` has `size` bytes, at most CTF_PACKET_LIMIT: the text, with
 * CTF_PACKET_HEAD free bytes before and CTF_PACKET_TRAILER after it. For
 * streams with packets.
 */
void ctf_writer_describe(struct ctf_writer *writer, void *packet, uint32_t size,
                         uint64_t time_ns);
