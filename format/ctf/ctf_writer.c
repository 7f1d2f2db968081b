/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_writer.c - write events as CTF, in whole packets
 *
 * Invariants between calls:
 *
 *   I1  buffer[0, used) ends at the end of an event
 *   I2  end_ns - begin_ns of an open packet is below 2^32, so that 32-bit times
 *       are unambiguous
 *
 * The header and the trailer of an open packet are blank until it is sent.
 */
#include "format/ctf/ctf_stream.h"

#include "format/invariant.h"

void ctf_writer_open(struct ctf_writer *writer, const struct ctf_layout *layout,
                     void *buffer, uint32_t capacity,
                     struct tally_zpl_sink sink)
{
    *writer = (struct ctf_writer){
        .layout = *layout,
        .sink = sink,
        .buffer = buffer,
        .capacity = capacity < CTF_PACKET_LIMIT ? capacity : CTF_PACKET_LIMIT,
    };
    if (layout->has_packets)
        writer->capacity -= CTF_PACKET_TRAILER;
}

/* Write the header. `content_bits` 0: all but the trailer. */
static void write_head(const struct ctf_writer *writer, void *bytes,
                       uint32_t size, uint64_t begin_ns, uint32_t content_bits)
{
    struct ctf_packet packet = {
        .stream_id = ctf_layout_stream_id(&writer->layout),
        .timestamp_begin = begin_ns,
        .timestamp_end = writer->end_ns,
        .content_size = content_bits,
        .packet_size = size * 8,
        .packet_seq_num = writer->sequence,
        .events_discarded = writer->discarded,
        .profiler_us = writer->profiler_us,
    };

    ctf_packet_write(bytes, &packet);
}

static bool hand_on(struct ctf_writer *writer, const void *bytes, uint32_t size)
{
    if (writer->sink.write == NULL ||
        !writer->sink.write(writer->sink.context, bytes, size))
        return false;
    writer->sequence++;
    return true;
}

void ctf_writer_flush(struct ctf_writer *writer)
{
    if (writer->pending == 0)
        return;
    if (writer->layout.has_packets) {
        writer->used += CTF_PACKET_TRAILER;
        write_head(writer, writer->buffer, writer->used, writer->begin_ns, 0);
    }
    if (!hand_on(writer, writer->buffer, writer->used))
        writer->discarded += writer->pending;
    writer->pending = 0;
    writer->used = 0;
}

/* Make room for an event of `size` bytes; return its place, and its time in
   end_ns. */
static unsigned char *add(struct ctf_writer *writer, uint32_t size,
                          uint64_t time_ns)
{
    unsigned char *place;

    if (time_ns < writer->end_ns)
        time_ns = writer->end_ns;
    if (writer->pending != 0 && (writer->capacity - writer->used < size ||
                                 time_ns - writer->begin_ns > UINT32_MAX))
        ctf_writer_flush(writer);
    if (writer->pending == 0) {
        writer->begin_ns = time_ns;
        writer->used = writer->layout.has_packets ? CTF_PACKET_HEAD : 0;
    }
    place = writer->buffer + writer->used;
    writer->end_ns = time_ns;
    writer->used += size;
    writer->pending++;
    INVARIANT(I1, writer->used <= writer->capacity);
    INVARIANT(I2, writer->end_ns - writer->begin_ns <= UINT32_MAX);
    return place;
}

void ctf_writer_event(struct ctf_writer *writer, const struct zpl_event *event)
{
    uint32_t size = (uint32_t)ctf_layout_event_bytes(&writer->layout);
    unsigned char *place = add(writer, size, event->time_ns);

    zpl_wire_write(place, &writer->layout, event, writer->end_ns);
}

void ctf_writer_name(struct ctf_writer *writer, uint32_t thread,
                     const char *name, uint64_t time_ns)
{
    uint32_t size = (uint32_t)ctf_layout_name_bytes(&writer->layout);
    unsigned char *place = add(writer, size, time_ns);

    zpl_wire_write_name(place, &writer->layout, thread, name, writer->end_ns);
}

void ctf_writer_describe(struct ctf_writer *writer, void *packet, uint32_t size,
                         uint64_t time_ns)
{
    ctf_writer_flush(writer);
    if (time_ns > writer->end_ns)
        writer->end_ns = time_ns;
    write_head(writer, packet, size, writer->end_ns, CTF_PACKET_HEAD * 8);
    hand_on(writer, packet, size);
}
