/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_reader.c - read calls of allocation functions from CTF
 *
 * Each step reads an event or a packet's header, skips at least one byte, or
 * asks for more.
 *
 * Invariants between calls:
 *
 *   I1  every byte before `offset` was part of an undamaged packet, or is
 *       counted as skipped
 *   I2  the open packet's events (packet_left bytes) and its sum (`trailer`
 *       bytes) are in the buffer; `trailer` is 0 if the stream ends within the
 *       packet
 *   I3  callers[0, caller_count) and threads[0, thread_count) belong to the
 *       open packet
 */
#include "format/events/events_stream.h"

#include <string.h>

#include "format/invariant.h"

enum step { STEP_MORE, STEP_EVENT, STEP_ON };

bool events_reader_knows(const unsigned char *bytes, size_t size)
{
    struct events_packet packet;

    return size >= EVENTS_PACKET_HEAD && events_packet_read(bytes, &packet);
}

void events_reader_open(struct events_reader *reader)
{
    memset(reader, 0, offsetof(struct events_reader, threads));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
}

/* Return the offset in the buffer after `at` where a packet's magic may
   begin. */
static size_t next_candidate(const struct events_reader *reader, size_t at)
{
    size_t left = reader->in.filled - at;
    const unsigned char *found =
        left < 2 ? NULL
                 : memchr(reader->bytes + at + 1, CTF_MAGIC & 0xff, left - 1);

    return found == NULL ? reader->in.filled : (size_t)(found - reader->bytes);
}

static void skip_to_candidate(struct events_reader *reader)
{
    size_t first = reader->in.first;

    byte_stream_skip(&reader->in, next_candidate(reader, first) - first, true);
}

static void check(const struct events_reader *reader)
{
    INVARIANT(I1, reader->in.offset - reader->in.skipped.bytes >=
                      reader->packets * EVENTS_PACKET_HEAD +
                          reader->events * EVENTS_COMPACT_HEADER);
    INVARIANT(I2, reader->packet_left == 0 ||
                      reader->packet_left + reader->trailer <=
                          byte_stream_left(&reader->in));
    INVARIANT(I3, reader->caller_count <= EVENTS_CALLER_LIMIT &&
                      reader->thread_count <=
                          sizeof reader->threads / sizeof reader->threads[0]);
}

/* Open a packet of which `left` bytes are in the buffer. A writer's counts only
   grow; if they do not, it is another writer. */
static void open_packet(struct events_reader *reader,
                        const struct events_packet *packet, size_t left)
{
    const struct events_packet *last = &reader->packet;
    uint64_t told = 0;

    if (packet->event_seq_num >= reader->next_event &&
        packet->events_discarded >= last->events_discarded) {
        reader->missing += packet->event_seq_num - reader->next_event;
        told = last->events_discarded;
    }
    reader->discarded += packet->events_discarded - told;
    reader->next_event = packet->event_seq_num;
    reader->packet = *packet;
    reader->last_ns = packet->timestamp_begin;
    reader->caller_count = 0;
    reader->thread_count = 0;
    reader->packets++;
    reader->packet_left = packet->content_size / 8 - EVENTS_PACKET_HEAD;
    reader->trailer = EVENTS_PACKET_TRAILER;
    if (packet->packet_size / 8 > left) {
        reader->packet_left = left - EVENTS_PACKET_HEAD;
        reader->trailer = 0;
        reader->is_cut = true;
    }
    byte_stream_pass(&reader->in, EVENTS_PACKET_HEAD);
    if (reader->packet_left == 0) /* it only reports lost events */
        byte_stream_pass(&reader->in, reader->trailer);
}

/* Return true if a complete packet follows the first header. */
static bool has_packet_behind(const struct events_reader *reader)
{
    size_t at = reader->in.first, end = reader->in.filled;
    struct events_packet packet;

    while ((at = next_candidate(reader, at)) + EVENTS_PACKET_HEAD <= end) {
        if (events_packet_read(reader->bytes + at, &packet) &&
            packet.packet_size / 8 <= end - at &&
            ctf_packet_is_whole(reader->bytes + at, packet.packet_size / 8))
            return true;
    }
    return false;
}

static enum step next_packet(struct events_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in);
    struct events_packet packet;
    size_t size;

    if (left < EVENTS_PACKET_HEAD) {
        if (reader->in.is_ended)
            byte_stream_skip(&reader->in, left, true);
        return STEP_MORE;
    }
    if (!events_packet_read(bytes, &packet)) {
        skip_to_candidate(reader);
        return STEP_ON;
    }
    size = packet.packet_size / 8;
    if (size > left && !reader->in.is_ended)
        return STEP_MORE;
    if (size > left ? has_packet_behind(reader)
                    : !ctf_packet_is_whole(bytes, size)) {
        skip_to_candidate(reader);
        return STEP_ON;
    }
    open_packet(reader, &packet, left);
    return STEP_ON;
}

struct header {
    unsigned id;
    unsigned thread;
    size_t size;
    uint64_t time_ns;
};

/* Read an event header; return false if it is invalid. */
static bool read_header(const struct events_reader *reader,
                        struct header *header)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    const uint64_t mask = (UINT64_C(1) << EVENTS_TIME_BITS) - 1;
    uint32_t word;

    if (reader->packet_left < EVENTS_COMPACT_HEADER)
        return false;
    word = read_u32le(bytes);
    header->id = word & ((1u << EVENTS_ID_BITS) - 1);
    header->thread = word >> 24;
    header->size = EVENTS_COMPACT_HEADER;
    header->time_ns =
        reader->last_ns +
        (((word >> EVENTS_ID_BITS) - (uint32_t)reader->last_ns) & mask);
    if (header->id == EVENTS_ID_EXTENDED) {
        header->size = EVENTS_EXTENDED_HEADER;
        if (reader->packet_left < EVENTS_EXTENDED_HEADER)
            return false;
        header->id = bytes[1];
        header->time_ns = read_u64le(bytes + 2);
        header->thread = bytes[10];
    }
    return header->id < EVENTS_ID_COUNT &&
           reader->packet_left - header->size >= events_field_bytes(header->id);
}

#define FROM_index(value) \
    (value) < reader->caller_count ? reader->callers[value] : 0
#define FROM_near(value) \
    events_address(reader->packet.near_base, (uint32_t)(value))
#define FROM_far(value) \
    events_address(reader->packet.far_base, (uint32_t)(value))
#define FROM_address(value) value
#define FROM_small(value)   value
#define FROM_whole(value)   value

#define GET_FIELD(kind, name)                        \
    value = get_word_le(bytes, EVENTS_BYTES_##kind); \
    bytes += EVENTS_BYTES_##kind;                    \
    event->name = FROM_##kind(value);

#define GET_EVENT(id, name, fields, c, a, n) \
    case id:                                 \
        fields(GET_FIELD, c, a, n) break;

static void read_call(const struct events_reader *reader,
                      const struct header *header,
                      struct mem_trace_event *event)
{
    const unsigned char *bytes = byte_stream_front(&reader->in) + header->size;
    uint64_t value;

    *event = (struct mem_trace_event){
        .time_ns = header->time_ns,
        .thread = header->thread < reader->thread_count
                      ? reader->threads[header->thread]
                      : 0,
        .op = (uint8_t)events_op_of(header->id),
        .has_time = true,
    };
    switch (header->id) {
        EVENTS_CALL_LIST(GET_EVENT)
    }
    if (header->id == EVENTS_ID_realloc_kept_near ||
        header->id == EVENTS_ID_realloc_kept_far)
        event->pointer = event->result;
}

/* Read a thread or caller definition. Numbers must be consecutive, as writers
   skip none. */
static void read_explanation(struct events_reader *reader,
                             const struct header *header)
{
    const unsigned char *bytes = byte_stream_front(&reader->in) + header->size;

    if (header->id == EVENTS_ID_thread) {
        if (header->thread == reader->thread_count)
            reader->threads[reader->thread_count++] = read_u32le(bytes);
    } else if (read_u16le(bytes) == reader->caller_count &&
               reader->caller_count < EVENTS_CALLER_LIMIT) {
        reader->callers[reader->caller_count++] =
            read_u64le(bytes + EVENTS_BYTES_index);
    }
}

static enum step next_event(struct events_reader *reader,
                            struct mem_trace_event *event)
{
    struct header header;
    enum step done = STEP_ON;
    size_t size;

    if (!read_header(reader, &header)) {
        byte_stream_skip(&reader->in, reader->packet_left, true);
        reader->packet_left = 0;
        return STEP_ON;
    }
    if (header.id >= EVENTS_ID_malloc_near) {
        read_call(reader, &header, event);
        reader->next_event += mem_trace_is_call(event);
        done = STEP_EVENT;
    } else {
        read_explanation(reader, &header);
    }
    reader->last_ns = header.time_ns;
    size = header.size + events_field_bytes(header.id);
    reader->packet_left -= size;
    byte_stream_pass(&reader->in, size);
    return done;
}

static enum step step(struct events_reader *reader,
                      struct mem_trace_event *event)
{
    enum step done;

    if (reader->packet_left == 0)
        return next_packet(reader);
    done = next_event(reader, event);
    if (reader->packet_left == 0)
        byte_stream_pass(&reader->in, reader->trailer);
    return done;
}

bool events_reader_next(struct events_reader *reader,
                        struct mem_trace_event *event)
{
    enum step done;

    do {
        done = step(reader, event);
        check(reader);
    } while (done == STEP_ON);
    reader->events += done == STEP_EVENT;
    return done == STEP_EVENT;
}
