/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_reader.c - read ZPL events from a CTF stream, in any form, even if
 * damaged
 *
 * Each step reads an event, skips at least one byte, or asks for more. Events
 * that follow one another up to the end of the available bytes are certain;
 * near a place where none follows, ctf_damage.c judges them.
 *
 * This file is long because every step must check if the stream changes to
 * another form.
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
    RECOGNIZE_SOON = 64, /* bytes that may suffice */
    RECOGNIZE_LATE = 16384,
    LOOK_AHEAD = 1024, /* bytes examined before a decision */
    NEAR_DAMAGE = 512, /* bytes before the end of events in step that may be
                           no events any more */
    LETTERS = 8,       /* bytes of an event that may be console output */
    TEXT = 24,         /* bytes of console output that cannot be an event */
    PLAIN_REST = 8,    /* ... of which this many may begin an event */
    ZEROS = 1024,      /* bytes that belong to no event */
};

enum step { STEP_MORE, STEP_EVENT, STEP_OTHER, STEP_ON };

void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts)
{
    memset(reader, 0, offsetof(struct ctf_reader, bytes));
    byte_stream_open(&reader->in, reader->bytes, sizeof reader->bytes);
    reader->facts = facts;
    reader->before.is_in_step = true;
    if (facts != NULL) {
        reader->layout = facts->layout;
        reader->form = facts->form;
    }
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
    reader->before.is_in_step = false;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return *bytes == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

static size_t zero_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (size - i >= ZEROS && is_zero(bytes + i, ZEROS))
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

static void begin_form(struct ctf_reader *reader, const struct ctf_form *form)
{
    reader->form = *form;
    reader->layout = form->layout;
    reader->chain_end = 0;
}

/* Return true if the bytes are those of a damaged packet, which has no bare
   events. */
static bool is_in_packet(const unsigned char *bytes, size_t size,
                         const struct ctf_form *form, size_t *packet)
{
    struct ctf_view at = { bytes, size, form };
    struct ctf_layout layout;

    *packet = ctf_find_packet(bytes, size);
    return *packet < size &&
           (form->layout.version == 0 ||
            ((ctf_event_here(at) == 0 || !ctf_is_memory(at)) &&
             ctf_begins_packet(bytes + *packet, size - *packet, &layout) &&
             layout.version == form->layout.version));
}

/* Find a form behind bytes that are no events. */
static enum step search(struct ctf_reader *reader, size_t left)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    struct ctf_form form = { 0 };
    size_t packet, at = 1;

    while (at < left && !ctf_begins_row(bytes + at, left - at, &form))
        at++;
    if (is_in_packet(bytes, left, &form, &packet)) {
        skip(reader, packet);
    } else if (at < left) {
        begin_form(reader, &form);
        reader->before.is_in_step =
            ctf_is_memory((struct ctf_view){ bytes, left, &form });
    } else if (left == RECOGNIZE_LATE) {
        skip(reader, left - LOOK_AHEAD);
    } else if (reader->in.is_ended) {
        skip(reader, left);
        return STEP_MORE;
    } else {
        return STEP_MORE;
    }
    reader->tried = 0;
    return STEP_ON;
}

static enum step recognize(struct ctf_reader *reader)
{
    const unsigned char *bytes = byte_stream_front(&reader->in);
    size_t left = byte_stream_left(&reader->in);
    struct ctf_form form = { 0 };
    struct ctf_packet packet;
    enum ctf_recognized found;

    if (left >= CTF_PACKET_HEAD &&
        ctf_packet_read(bytes, &packet, &reader->layout))
        return STEP_ON;
    reader->layout = (struct ctf_layout){ 0 };
    if (pass_plain(reader))
        return STEP_ON;
    /* Try again only at twice as many bytes, to keep the cost linear. */
    if ((left < RECOGNIZE_SOON || left < 2 * reader->tried) &&
        left < RECOGNIZE_LATE && !reader->in.is_ended)
        return STEP_MORE;
    reader->tried = left;
    if (left > RECOGNIZE_LATE)
        left = RECOGNIZE_LATE;
    found = ctf_recognize(bytes, left, reader->in.is_ended, NULL, &form);
    if (found == CTF_MORE)
        return STEP_MORE;
    if (found == CTF_FOUND) {
        begin_form(reader, &form);
        return STEP_ON;
    }
    reader->is_unknown_shape |=
        found == CTF_UNKNOWN_SHAPE && reader->before.is_in_step;
    return search(reader, left);
}

/*
 * Extend the time of an event on a clock that wraps. A time below its
 * predecessor's but above the one before means that the predecessor's was
 * wrong, or late, not that the clock wrapped.
 */
static uint64_t whole_time(struct ctf_reader *reader, uint64_t low)
{
    const struct ctf_form *form = &reader->form;
    uint64_t step = ctf_elapsed(form, reader->last_ns, low);
    uint64_t step_before = ctf_elapsed(form, reader->before_ns, low);
    uint64_t time_ns = reader->last_ns + step;

    if (!reader->before.has_time || form->time.bytes == 8)
        time_ns = low;
    else if (step_before <
             ctf_elapsed(form, reader->before_ns, reader->last_ns))
        time_ns = reader->before_ns + step_before;
    reader->before_ns = reader->before.has_time ? reader->last_ns : time_ns;
    reader->last_ns = time_ns;
    reader->before.time = low;
    reader->before.has_time = true;
    return time_ns;
}

static struct ctf_view view_of(const struct ctf_reader *reader)
{
    return (struct ctf_view){
        .bytes = byte_stream_front(&reader->in),
        .size = byte_stream_left(&reader->in),
        .form = &reader->form,
    };
}

/* Metadata fix the form; without them another one may begin anywhere. After
   packets, one of another version must. */
static bool begins_other_form(struct ctf_reader *reader)
{
    struct ctf_view at = view_of(reader);
    struct ctf_form form = reader->form;
    struct ctf_layout layout = reader->layout;
    bool is_strict = layout.has_packets && !reader->before.is_in_step &&
                     reader->in.offset > reader->text_end;

    if (layout.has_packets)
        form = (struct ctf_form){ 0 };
    if (reader->facts != NULL && reader->layout.has_packets)
        return false;
    if (!layout.has_packets && reader->facts == NULL &&
        ctf_begins_packet(at.bytes, at.size, &layout))
        reader->layout = layout;
    else if (ctf_begins_row(at.bytes, at.size, &form) &&
             !(is_strict && form.layout.version == layout.version))
        begin_form(reader, &form);
    else
        return false;
    reader->before.has_time = false;
    reader->before.is_in_step = reader->has_changed = true;
    return true;
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

/* Take the event here, whose size is known if it is described. */
static enum step take_event(struct ctf_reader *reader, struct ctf_view at,
                            size_t unknown, struct zpl_event *event)
{
    struct ctf_before *before = &reader->before;
    size_t head = at.form->head_bytes;
    bool is_memory = unknown == 0 && ctf_is_memory(at);
    size_t length = unknown > 0 ? unknown : ctf_event_here(at);

    if (is_memory) {
        ctf_memory_read(at, event);
        before->recent[before->recent_next++ % CTF_RECENT] = *event;
    } else {
        reader->others = at.form->others;
        reader->other_event = unknown > 0 ? NULL : ctf_find_other(at);
        reader->other = at.bytes + head;
        reader->other_size = length - head;
        reader->other_events++;
        before->has_others |= unknown == 0;
        if (unknown > 0)
            before->unknown_id = ctf_id_of(at);
    }
    event->time_ns = whole_time(reader, ctf_time_of(at));
    byte_stream_pass(&reader->in, length);
    before->is_in_step = true;
    return is_memory ? STEP_EVENT : STEP_OTHER;
}

/*
 * Return the bytes of the events that follow one another from here. *is_broken
 * is set if they end before the available bytes, or zeros at their end: at
 * bytes that begin no event, or at letters.
 */
static size_t chain_bytes(struct ctf_view at, const struct ctf_before *before,
                          bool *is_broken)
{
    const unsigned char *start = at.bytes;
    bool has_others = before->has_others;
    unsigned memory = before->recent_next;

    for (*is_broken = false; at.size > 0;) {
        size_t length = ctf_event_here(at);
        size_t there = length < at.size ? length : at.size;
        bool is_other = there < at.form->head_bytes || !ctf_is_memory(at);
        bool is_odd =
            (there >= LETTERS && ctf_text_bytes(at.bytes, there) == there) ||
            (length > at.size && at.size > CTF_LARGEST_OTHER) ||
            (is_other && ctf_begins_other(at)) ||
            (is_other && !has_others && memory >= CTF_SURE_ROW &&
             at.size < NEAR_DAMAGE && there >= at.form->head_bytes);

        *is_broken = length == 0 ? !is_zero(at.bytes, at.size)
                                 : is_odd && !at.form->is_declared;
        if (*is_broken || length == 0 || length > at.size)
            break;
        memory += !is_other;
        has_others |= is_other;
        at = ctf_view_behind(at, length);
    }
    return (size_t)(at.bytes - start);
}

static enum step next_in_damage(struct ctf_reader *reader, struct ctf_view at,
                                struct zpl_event *event)
{
    size_t damaged, unknown;

    if ((at.size < LOOK_AHEAD || wants_packet(reader)) && !reader->in.is_ended)
        return STEP_MORE;
    if (begins_other_form(reader) || pass_plain(reader))
        return STEP_ON;
    damaged = ctf_damaged_bytes(at, &reader->before, &unknown);
    skip(reader, damaged);
    return damaged > 0 ? STEP_ON : take_event(reader, at, unknown, event);
}

/* Find the shape of memory events at the first one. */
static enum step find_shape(struct ctf_reader *reader, struct ctf_view at,
                            struct zpl_event *event)
{
    struct ctf_form form;

    switch (ctf_recognize(at.bytes, at.size, reader->in.is_ended, &reader->form,
                          &form)) {
    case CTF_MORE:
        return STEP_MORE;
    case CTF_FOUND:
        begin_form(reader, &form);
        return STEP_ON;
    default:
        reader->is_unknown_shape = true;
        return next_in_damage(reader, at, event);
    }
}

static enum step next_bare(struct ctf_reader *reader, struct zpl_event *event)
{
    struct ctf_view at = view_of(reader);
    bool is_broken = true;
    size_t chain = 0;

    if (at.size == 0 || (reader->in.has_more && at.size < LOOK_AHEAD))
        return STEP_MORE;
    if (reader->in.offset < reader->chain_end)
        return take_event(reader, at, 0, event);
    if (reader->before.is_in_step)
        chain = chain_bytes(at, &reader->before, &is_broken);
    if (is_broken && at.form->memory_bytes == 0 &&
        at.size - chain >= at.form->head_bytes &&
        ctf_is_memory(ctf_view_behind(at, chain))) {
        if (chain == 0)
            return find_shape(reader, at, event);
    } else if (chain > NEAR_DAMAGE && (is_broken || reader->in.has_more)) {
        chain -= NEAR_DAMAGE;
    } else if (is_broken) {
        return next_in_damage(reader, at, event);
    }
    reader->chain_end = reader->in.offset + chain;
    if (chain > 0)
        return take_event(reader, at, 0, event);
    if (ctf_event_here(at) == 0 && at.size > at.form->head_bytes)
        return next_in_damage(reader, at, event); /* zeros */
    if (reader->in.is_ended) {
        byte_stream_pass(&reader->in, at.size);
        reader->cut_events++;
    }
    return STEP_MORE;
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
    reader->before.is_in_step = is_whole;
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
        if (!pass_plain(reader) && !begins_other_form(reader))
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
    } while (done == STEP_ON || (done == STEP_OTHER && !reader->tells_others));
    reader->events += done == STEP_EVENT;
    return done != STEP_MORE;
}
