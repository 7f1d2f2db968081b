/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_reader.c - read ZPL events from a CTF stream, in any layout, even if
 * damaged
 *
 * Each step reads an event, skips at least one byte, or asks for more.
 *
 * This file is long because every step must check if the stream changes to
 * another layout.
 *
 * Invariants between calls:
 *
 *   I1  every byte before `offset` was part of an event or a packet's header,
 *       or is counted as skipped
 *   I2  packet_left is a multiple of the size of an event; that many bytes, and
 *       the trailer, are in the buffer
 */
#include "format/ctf/ctf_input.h"

#include <string.h>

#include "format/bytes.h"
#include "format/ctf/zpl_event.h"
#include "format/invariant.h"

enum {
    RECOGNIZE_SOON = 128, /* bytes that suffice if nothing else is in the
                             stream */
    RECOGNIZE_LATE = 16384,
};

enum {
    LOOK_AHEAD = 1024, /* bytes examined before a decision */
    SURE_ROW = 16,     /* consecutive events, of any kind, that cannot be a
                          coincidence */
    TEXT = 24,         /* bytes of console output that cannot be an event */
    PLAIN_REST = 8,    /* ... of which this many may begin an event */
    ZEROS = 1024,      /* bytes that belong to no event */
};

static const unsigned char zeros[ZEROS];

enum step { STEP_MORE, STEP_EVENT, STEP_OTHER, STEP_ON };

void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts)
{
    memset(reader, 0, offsetof(struct ctf_reader, bytes));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
    reader->facts = facts;
    reader->is_in_step = true;
    if (facts != NULL)
        reader->layout = facts->layout;
}

static void skip(struct ctf_reader *reader, size_t size)
{
    if (size == 0)
        return;
    if (reader->passed_size == 0 ||
        reader->in.skipped.end != reader->in.offset) {
        reader->passed = byte_stream_front(&reader->in);
        reader->passed_size = 0;
    }
    reader->passed_size += size;
    byte_stream_skip(&reader->in, size, true);
    reader->is_in_step = false;
    reader->in_row = 0;
}

static size_t zero_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (size - i >= ZEROS && memcmp(bytes + i, zeros, ZEROS) == 0)
        i += ZEROS;
    return i;
}

/*
 * Skip console output, after which any layout may begin, and unwritten zeros.
 */
static bool pass_plain(struct ctf_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in),
           empty = zero_bytes(bytes, left);
    size_t text = reader->facts != NULL ? 0 : ctf_text_bytes(bytes, left);

    if (text < TEXT && empty == 0)
        return false;
    if (text >= TEXT)
        reader->text_end = reader->in.offset + text;
    skip(reader, empty > 0 ? empty - PLAIN_REST : text - PLAIN_REST);
    return true;
}

static enum step recognize(struct ctf_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in);
    size_t explained, window = RECOGNIZE_SOON / 2;
    struct ctf_layout layout = { 0 }, first = { 0 };
    struct ctf_packet packet;

    if (left >= CTF_PACKET_HEAD && ctf_packet_read(bytes, &packet, &layout)) {
        reader->layout = layout;
        return STEP_ON;
    }
    if (pass_plain(reader))
        return STEP_ON;
    /* Try again only at twice as many bytes, to keep the cost linear. */
    if ((left < RECOGNIZE_SOON || left < 2 * reader->tried) &&
        left < RECOGNIZE_LATE && !reader->in.is_ended)
        return STEP_MORE;
    reader->tried = left;
    if (left > RECOGNIZE_LATE)
        left = RECOGNIZE_LATE;
    (void)ctf_recognize(bytes, left, left, &layout);
    /* Other layouts may follow: choose the layout of the first events. */
    do {
        window = window * 2 < left ? window * 2 : left;
        explained = ctf_recognize(bytes, left, window, &first);
    } while (explained < window / 2 && window < left);
    /* A damaged packet does not contain bare events. */
    if (!layout.has_packets || layout.version != first.version ||
        ctf_is_event((struct ctf_view){ bytes, left, &first, NULL }))
        layout = first;
    if (explained > 0 && (explained >= window / 2 || left == RECOGNIZE_LATE ||
                          reader->in.is_ended)) {
        reader->layout = layout;
        return STEP_ON;
    }
    if (left == RECOGNIZE_LATE) {
        skip(reader, left - CTF_PACKET_HEAD);
        reader->tried = 0;
        return STEP_ON;
    }
    if (reader->in.is_ended) /* no event can begin in the rest */
        skip(reader, left);
    return STEP_MORE;
}

/*
 * Extend the 32-bit time of an event. A time below its predecessor's but above
 * the one before means that the predecessor's was wrong, not that the clock
 * wrapped.
 */
static uint64_t whole_time(struct ctf_reader *reader, uint32_t low)
{
    uint32_t step = low - (uint32_t)reader->last_ns;
    uint32_t step_before = low - (uint32_t)reader->before_ns;
    uint32_t last_step = (uint32_t)(reader->last_ns - reader->before_ns);
    uint64_t time_ns = reader->last_ns + step;

    if (!reader->has_time)
        time_ns = low;
    else if (step_before < last_step)
        time_ns = reader->before_ns + step_before;
    reader->before_ns = reader->has_time ? reader->last_ns : time_ns;
    reader->last_ns = time_ns;
    reader->has_time = true;
    return time_ns;
}

/* Return true if consecutive events begin inside this event: it was
   truncated. */
static bool is_overrun(struct ctf_view at)
{
    size_t length = ctf_layout_event_bytes(at.layout);
    struct zpl_event event;

    if (at.size < 2 * length ||
        zpl_wire_read(at.bytes + length, at.layout, &event))
        return false;
    for (size_t i = 1; i < length && i + 2 * length <= at.size; i++) {
        if (zpl_wire_read(at.bytes + i, at.layout, &event) &&
            zpl_wire_read(at.bytes + i + length, at.layout, &event))
            return true;
    }
    return false;
}

static struct ctf_view view_of(const struct ctf_reader *reader)
{
    return (struct ctf_view){
        .bytes = byte_stream_front(&reader->in),
        .size = byte_stream_left(&reader->in),
        .layout = &reader->layout,
        .others = reader->facts != NULL ? &reader->facts->others
                                        : zephyr_events(&reader->layout),
    };
}

/* Metadata fix the layout; without them another layout may begin anywhere. */
static bool begins_other_layout(struct ctf_reader *reader)
{
    if (reader->facts != NULL ||
        !ctf_is_other_layout(byte_stream_front(&reader->in),
                             byte_stream_left(&reader->in), &reader->layout,
                             reader->layout.has_packets &&
                                 !reader->is_in_step &&
                                 reader->in.offset > reader->text_end))
        return false;
    reader->has_time = false;
    reader->is_in_step = reader->has_changed = true;
    return true;
}

/* Return the time in the header of an event outside Tally's packets. */
static uint64_t time_of(struct ctf_reader *reader, const unsigned char *bytes)
{
    if (reader->layout.version != 3)
        return whole_time(reader, read_u32le(bytes));
    reader->has_time = true;
    reader->last_ns = read_u64le(bytes + 4);
    return reader->last_ns;
}

/* Return true if the packet is incomplete. */
static bool wants_packet(const struct ctf_reader *reader)
{
    struct ctf_layout layout;
    struct ctf_packet packet;

    return byte_stream_left(&reader->in) >= CTF_PACKET_HEAD &&
           ctf_packet_read(byte_stream_front(&reader->in), &packet, &layout) &&
           packet.packet_size / 8 > byte_stream_left(&reader->in);
}

static struct ctf_before before_this(const struct ctf_reader *reader)
{
    return (struct ctf_before){ (uint32_t)reader->last_ns, reader->has_time,
                                reader->in_row >= SURE_ROW,
                                !reader->is_in_step };
}

/* Skip another event, or one byte that belongs to no event. */
static enum step next_other(struct ctf_reader *reader, struct zpl_event *event)
{
    struct ctf_view at = view_of(reader);
    size_t head = ctf_layout_head_bytes(at.layout), other = 0;
    struct ctf_before before = before_this(reader);

    if ((at.size < LOOK_AHEAD || wants_packet(reader)) && !reader->in.is_ended)
        return STEP_MORE;
    if (begins_other_layout(reader))
        return STEP_ON;
    if (reader->is_in_step || reader->has_time)
        other = ctf_other_bytes(at, &before);
    if (other == 0 && pass_plain(reader))
        return STEP_ON;
    if (other > 0 && other + LOOK_AHEAD > at.size && !reader->in.is_ended)
        return STEP_MORE;
    if (other == 0 || other > at.size) {
        skip(reader, 1);
        return STEP_ON;
    }
    reader->others = at.others;
    reader->other_event = ctf_find_other(at);
    reader->other = at.bytes + head;
    reader->other_size = other - head;
    event->time_ns = time_of(reader, at.bytes);
    byte_stream_pass(&reader->in, other);
    reader->is_in_step = true;
    reader->other_events++;
    return STEP_OTHER;
}

static enum step next_bare(struct ctf_reader *reader, struct zpl_event *event)
{
    struct ctf_view at = view_of(reader);
    size_t length = ctf_layout_event_bytes(at.layout), misnamed = 0;
    struct ctf_before before = before_this(reader);
    struct zpl_event next;

    if (at.size == 0 || (at.size < length && !reader->in.is_ended))
        return STEP_MORE;
    if (at.size < length || !zpl_wire_read(at.bytes, at.layout, event))
        return next_other(reader, event);
    if (at.size >= 2 * length &&
        !zpl_wire_read(at.bytes + length, at.layout, &next) &&
        begins_other_layout(reader))
        return STEP_ON;
    if (!reader->is_in_step && at.size < 2 * length && !reader->in.is_ended)
        return STEP_MORE;
    if ((!reader->is_in_step && !ctf_is_event_behind(at, &before)) ||
        is_overrun(at)) {
        skip(reader, 1);
        return STEP_ON;
    }
    if (reader->is_in_step && reader->other_events > 0) {
        if (at.size < LOOK_AHEAD && !reader->in.is_ended)
            return STEP_MORE;
        if (at.size > LOOK_AHEAD)
            at.size = LOOK_AHEAD;
        misnamed = ctf_misnamed_bytes(at);
    }
    skip(reader, misnamed);
    reader->is_in_step = true;
    if (misnamed > 0)
        return STEP_ON;
    byte_stream_pass(&reader->in, length);
    event->time_ns = time_of(reader, at.bytes);
    return STEP_EVENT;
}

/* Open a packet of which `left` bytes, or all, are in the buffer. */
static void open_packet(struct ctf_reader *reader,
                        const struct ctf_packet *packet, size_t left)
{
    size_t length = ctf_layout_event_bytes(&reader->layout);
    size_t events = packet->content_size / 8 - CTF_PACKET_HEAD;
    bool is_whole = packet->packet_size / 8 <= left;

    if (is_whole && events == 0) {
        reader->description = byte_stream_front(&reader->in) + CTF_PACKET_HEAD;
        reader->description_size =
            packet->packet_size / 8 - CTF_PACKET_HEAD - CTF_PACKET_TRAILER;
    }
    byte_stream_pass(&reader->in, CTF_PACKET_HEAD);
    if (events > left - CTF_PACKET_HEAD)
        events = (left - CTF_PACKET_HEAD) / length * length;
    reader->packet_left = events;
    reader->trailer =
        is_whole ? (packet->packet_size - packet->content_size) / 8 : 0;
    reader->is_in_step = is_whole;
    reader->is_cut = !is_whole;
    reader->last_ns = packet->timestamp_begin;
    if (reader->has_sequence && packet->packet_seq_num > reader->sequence)
        reader->lost_packets += packet->packet_seq_num - reader->sequence - 1;
    if (!reader->has_sequence || packet->packet_seq_num <= reader->sequence) {
        /* First packet, or one of another writer: counts start again. */
        reader->packet_discarded = 0;
        reader->packet_profiler_us = 0;
    }
    reader->discarded += packet->events_discarded - reader->packet_discarded;
    if (is_whole) {
        reader->profiler_us += packet->profiler_us - reader->packet_profiler_us;
        reader->packet_profiler_us = packet->profiler_us;
    }
    reader->packet_discarded = packet->events_discarded;
    reader->sequence = packet->packet_seq_num;
    reader->has_sequence = true;
}

static enum step next_packet(struct ctf_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in);
    struct ctf_layout layout;
    struct ctf_packet packet;
    size_t size;

    if (left == 0 || (left < LOOK_AHEAD && !reader->in.is_ended))
        return STEP_MORE;
    if (left < CTF_PACKET_HEAD || !ctf_packet_read(bytes, &packet, &layout)) {
        if (!pass_plain(reader) && !begins_other_layout(reader))
            skip(reader, 1);
        return STEP_ON;
    }
    size = packet.packet_size / 8;
    if (size > left && !reader->in.is_ended)
        return STEP_MORE;
    if (size <= left && !ctf_packet_read_trailer(bytes, &packet)) {
        skip(reader, 1);
        return STEP_ON;
    }
    if (size > left && left > CTF_PACKET_HEAD) {
        /* The packet is truncated: read the events it has. But if whole packets
           follow, its size field is wrong. */
        size_t behind = 1 + ctf_find_packet(bytes + 1, left - 1);

        if (behind < left) {
            skip(reader, behind);
            return STEP_ON;
        }
    }
    reader->layout = layout;
    open_packet(reader, &packet, left);
    return STEP_ON;
}

static enum step next_in_packet(struct ctf_reader *reader,
                                struct zpl_event *event)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t length = ctf_layout_event_bytes(&reader->layout);

    reader->packet_left -= length;
    if (!zpl_wire_read(bytes, &reader->layout, event)) {
        skip(reader, length);
        return STEP_ON;
    }
    byte_stream_pass(&reader->in, length);
    event->time_ns = reader->last_ns +
                     ((uint32_t)event->time_ns - (uint32_t)reader->last_ns);
    return STEP_EVENT;
}

static enum step step(struct ctf_reader *reader, struct zpl_event *event)
{
    if (reader->packet_left > 0)
        return next_in_packet(reader, event);
    byte_stream_pass(&reader->in, reader->trailer);
    reader->trailer = 0;
    if (reader->layout.version == 0)
        return recognize(reader);
    return reader->layout.has_packets ? next_packet(reader)
                                      : next_bare(reader, event);
}

static void check(const struct ctf_reader *reader)
{
    INVARIANT(I1, reader->in.offset - reader->in.skipped.bytes >=
                      reader->events * CTF_EVENT_SMALLEST);
    INVARIANT(I2, reader->packet_left == 0 ||
                      (reader->packet_left %
                               ctf_layout_event_bytes(&reader->layout) ==
                           0 &&
                       reader->packet_left + reader->trailer <=
                           byte_stream_left(&reader->in)));
}

bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event)
{
    uint64_t fed = reader->in.offset + byte_stream_left(&reader->in);
    enum step done;

    if (fed != reader->fed)
        reader->description = NULL;
    reader->fed = fed;
    reader->passed_size = 0;
    reader->other = NULL;
    do {
        done = step(reader, event);
        check(reader);
        reader->in_row += done == STEP_EVENT || done == STEP_OTHER;
    } while (done == STEP_ON || (done == STEP_OTHER && !reader->tells_others));
    reader->events += done == STEP_EVENT;
    return done != STEP_MORE;
}
