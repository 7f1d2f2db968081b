/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_reader.c - read ZPL events from a CTF stream, in any layout, even if
 * damaged
 *
 * Each step reads an event, skips at least one byte, or asks for more. Events
 * that follow each other are read as they are; only where they break off, the
 * bytes around are divided by ctf_damage.c.
 *
 * This file is long because a stream may change to another layout or to text in
 * every step.
 *
 * Invariants between calls:
 *
 *   I1  every byte before `offset` was part of an event or a packet's header,
 *       or is counted as skipped
 *   I2  packet_left is a multiple of the size of an event; that many bytes, and
 *       the trailer, are in the buffer
 */
#include "format/ctf/ctf_input.h"

#include "format/invariant.h"

enum {
    RECOGNIZE_SOON = 128,   /* bytes that suffice if nothing else is in the
                             stream */
    RECOGNIZE_MOST = 16384, /* bytes in which a layout must show */
    LOOK_AHEAD = 1024,      /* bytes examined before a decision */
    TEXT = 24,      /* bytes of console output that cannot be an event */
    PLAIN_REST = 8, /* ... of which this many may begin an event */
    ZEROS = 1024,   /* bytes that belong to no event */
};

static const unsigned char zeros[ZEROS];

enum step { STEP_MORE, STEP_EVENT, STEP_OTHER, STEP_ON };

void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts)
{
    memset(reader, 0, offsetof(struct ctf_reader, guess));
    memset(reader->guess.regions, 0, sizeof reader->guess.regions);
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
    reader->facts = facts;
    reader->is_in_step = reader->is_anchored = true;
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
    reader->is_in_step = reader->is_anchored = false;
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
    bool is_anchored;

    if (text < TEXT && empty == 0)
        return false;
    if (text >= TEXT)
        reader->text_end = reader->in.offset + text;
    is_anchored = empty > 0 || ctf_ascii_bytes(bytes, left) >= PLAIN_REST;
    skip(reader, empty > 0 ? empty - PLAIN_REST : text - PLAIN_REST);
    reader->guess_end = reader->sure_end = 0;
    reader->is_anchored = is_anchored;
    return true;
}

/* Begin the stream, or a part of it, in this layout. */
static void begin(struct ctf_reader *reader, const struct ctf_layout *layout)
{
    reader->layout = *layout;
    reader->is_in_step = reader->is_anchored = true;
    reader->tried_at = reader->in.offset;
    reader->guess_end = reader->sure_end = 0;
}

static enum step recognize(struct ctf_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in);
    bool is_all = reader->in.is_ended || left >= RECOGNIZE_MOST;
    struct ctf_layout layout = { 0 };
    enum ctf_finding finding;
    struct ctf_packet packet;

    if (left >= CTF_PACKET_HEAD && ctf_packet_read(bytes, &packet, &layout)) {
        begin(reader, &layout);
        return STEP_ON;
    }
    if (pass_plain(reader))
        return STEP_ON;
    /* Try again only at twice as many bytes, to keep the cost linear. */
    if ((left < RECOGNIZE_SOON || left < 2 * reader->tried) && !is_all)
        return STEP_MORE;
    reader->tried = left;
    if (left > RECOGNIZE_MOST)
        left = RECOGNIZE_MOST;
    finding = ctf_recognize(bytes, left, reader->in.is_ended, &layout);
    if (finding == CTF_FOUND) {
        begin(reader, &layout);
        return STEP_ON;
    }
    if (!is_all)
        return STEP_MORE;
    if (finding == CTF_STRANGE && reader->in.offset == reader->text_end) {
        reader->is_strange = true;
        return STEP_ON;
    }
    /* No event can begin in the rest of the stream. */
    skip(reader, reader->in.is_ended ? left : left - CTF_PACKET_HEAD);
    reader->tried = 0;
    return reader->in.is_ended ? STEP_MORE : STEP_ON;
}

/*
 * Extend the 32-bit time of an event. Without metadata, a time below its
 * predecessor's but above the one before means that the predecessor's was
 * wrong, not that the clock wrapped.
 */
static uint64_t whole_time(struct ctf_reader *reader, uint32_t low)
{
    uint32_t step = low - (uint32_t)reader->last_ns;
    uint32_t step_before = low - (uint32_t)reader->before_ns;
    uint32_t last_step = (uint32_t)(reader->last_ns - reader->before_ns);
    uint64_t time_ns = reader->last_ns + step;

    if (!reader->has_time)
        time_ns = low;
    else if (step_before < last_step && reader->facts == NULL)
        time_ns = reader->before_ns + step_before;
    reader->before_ns = reader->has_time ? reader->last_ns : time_ns;
    reader->last_ns = time_ns;
    reader->has_time = true;
    return time_ns;
}

static struct ctf_view view_of(const struct ctf_reader *reader)
{
    return (struct ctf_view){
        .bytes = byte_stream_front(&reader->in),
        .size = byte_stream_left(&reader->in),
        .layout = &reader->layout,
        .others = reader->facts != NULL ? &reader->facts->others
                                        : zephyr_events(&reader->layout),
        .is_declared = reader->facts != NULL,
    };
}

/* Metadata fix the layout; without them another layout may begin anywhere, but
   one at a place: bytes may be events of both. */
static bool begins_other_layout(struct ctf_reader *reader)
{
    struct ctf_layout layout = reader->layout;

    /* Events of a damaged packet are not those of a bare stream. */
    if (reader->facts != NULL ||
        (reader->has_changed && reader->tried_at == reader->in.offset) ||
        (layout.has_packets && !reader->is_in_step &&
         reader->in.offset > reader->text_end) ||
        !ctf_is_other_layout(byte_stream_front(&reader->in),
                             byte_stream_left(&reader->in), &layout))
        return false;
    begin(reader, &layout);
    reader->has_time = false;
    reader->has_changed = true;
    return true;
}

/* Return the time in the header of an event outside Tally's packets. */
static uint64_t time_of(struct ctf_reader *reader, const unsigned char *bytes)
{
    uint64_t time = zpl_wire_time(bytes, &reader->layout);

    if (reader->layout.shape == NULL
            ? reader->layout.version < 3
            : reader->layout.shape->timestamp.bytes < 8)
        return whole_time(reader, (uint32_t)time);
    reader->has_time = true;
    reader->last_ns = time;
    return time;
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

/* Events that follow each other. */
struct run {
    size_t bytes, certain; /* bytes of all, and of the first ones, whose regions
                              are known or lie before one of memory */
    size_t last[2];        /* where the last events but one begin */
    bool is_broken;        /* other bytes follow, not the end */
};

static struct run run_from(struct ctf_guess *guess, struct ctf_view at)
{
    struct run run = { 0 };
    struct zpl_event event;
    bool is_memory;

    while (at.size > 0) {
        size_t size = ctf_event_size(at, &event, &is_memory);

        /* Events of another layout may look like one of this. */
        run.is_broken = size == 0 || (is_memory && ctf_begins_other_layout(at));
        if (run.is_broken || size > at.size)
            break;
        if (is_memory)
            run.certain =
                run.bytes + (ctf_guess_knows(guess, &event) ? size : 0);
        run.last[0] = run.last[1];
        run.last[1] = run.bytes;
        run.bytes += size;
        at = ctf_view_from(at, size);
    }
    return run;
}

/* Look ahead, if need be; return false if more bytes must come. */
static bool look_ahead(struct ctf_reader *reader, struct ctf_view at)
{
    bool is_ended = reader->in.is_ended;
    struct run run = { .is_broken = true };

    if (reader->in.offset < reader->sure_end ||
        reader->in.offset < reader->guess_end)
        return true;
    if (reader->is_in_step)
        run = run_from(&reader->guess, at);
    if (run.bytes < at.size || !is_ended) {
        run.bytes -= run.bytes < LOOK_AHEAD ? run.bytes : LOOK_AHEAD;
        if (run.bytes > run.last[0]) /* one event may be as long */
            run.bytes = run.last[0];
        if (run.bytes < run.certain)
            run.bytes = run.certain;
    }
    reader->sure_end = reader->in.offset + run.bytes;
    if (run.bytes > 0)
        return true;
    if (!is_ended && (!run.is_broken || at.size < CTF_GUESS_BYTES))
        return false;
    is_ended &= at.size <= CTF_GUESS_BYTES;
    if (at.size > CTF_GUESS_BYTES)
        at.size = CTF_GUESS_BYTES;
    ctf_guess_open(&reader->guess, at, is_ended, reader->is_in_step,
                   reader->is_anchored);
    reader->guess_at = reader->in.offset;
    reader->guess_end =
        reader->in.offset + at.size - (is_ended ? 0 : LOOK_AHEAD);
    return true;
}

/* Skip a byte that belongs to no event. */
static enum step skip_other(struct ctf_reader *reader)
{
    size_t left = byte_stream_left(&reader->in);
    struct ctf_layout layout;
    enum ctf_finding finding;

    if ((left < LOOK_AHEAD || wants_packet(reader)) && !reader->in.is_ended)
        return STEP_MORE;
    if (begins_other_layout(reader) || pass_plain(reader))
        return STEP_ON;
    if (reader->events == 0 && reader->facts == NULL && reader->is_in_step &&
        reader->tried_at != reader->in.offset) {
        /* The first event of memory shows which shape they have. */
        finding = ctf_recognize(byte_stream_front(&reader->in),
                                left < RECOGNIZE_MOST ? left : RECOGNIZE_MOST,
                                reader->in.is_ended, &layout);
        if (finding == CTF_UNDECIDED)
            return STEP_MORE;
        reader->tried_at = reader->in.offset;
        reader->is_strange = finding == CTF_STRANGE;
        if (finding == CTF_FOUND)
            begin(reader, &layout);
        if (finding != CTF_NOTHING)
            return STEP_ON;
    }
    skip(reader, 1);
    return STEP_ON;
}

static enum step next_bare(struct ctf_reader *reader, struct zpl_event *event)
{
    struct ctf_view at = view_of(reader);
    size_t head = ctf_layout_head_bytes(at.layout), size;
    bool is_memory;

    if (at.size == 0 || !look_ahead(reader, at))
        return STEP_MORE;
    if (reader->in.offset >= reader->sure_end) {
        if (begins_other_layout(reader))
            return STEP_ON;
        if (!reader->guess.is_event[reader->in.offset - reader->guess_at])
            return skip_other(reader);
    }
    size = ctf_event_size(at, event, &is_memory);
    if (size > at.size && !reader->in.is_ended)
        return STEP_MORE;
    if (size == 0 || size > at.size) { /* cut off, or longer than events are */
        skip(reader, 1);
        return STEP_ON;
    }
    event->time_ns = time_of(reader, at.bytes);
    reader->is_in_step = true;
    byte_stream_pass(&reader->in, size);
    if (is_memory) {
        reader->is_anchored = true;
        ctf_guess_learn(&reader->guess, event);
        return STEP_EVENT;
    }
    reader->others = at.others;
    reader->other_event = ctf_find_other(at);
    reader->other = at.bytes + head;
    reader->other_size = size - head;
    reader->other_events++;
    return STEP_OTHER;
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
    ctf_guess_learn(&reader->guess, event);
    event->time_ns = reader->last_ns +
                     ((uint32_t)event->time_ns - (uint32_t)reader->last_ns);
    return STEP_EVENT;
}

static enum step step(struct ctf_reader *reader, struct zpl_event *event)
{
    if (reader->is_strange) {
        skip(reader, byte_stream_left(&reader->in));
        return STEP_MORE;
    }
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
    } while (done == STEP_ON || (done == STEP_OTHER && !reader->tells_others));
    reader->events += done == STEP_EVENT;
    return done != STEP_MORE;
}
