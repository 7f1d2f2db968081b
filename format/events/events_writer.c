/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_writer.c - write calls of allocation functions as CTF
 *
 * Invariants between calls:
 *
 *   I1  buffer[0, used) ends at the end of an event, with room for the sum
 *       after it
 *   I2  a slot of `callers` or `threads` belongs to the open packet or is free;
 *       some are always free
 *   I3  the bases of an open packet do not change once they are set
 *
 * The header and the sum of an open packet are blank until it is sent.
 */
#include "format/events/events_stream.h"

#include "format/invariant.h"

enum {
    /* A caller, a thread and a call, each with the larger header. */
    MOST_BYTES = 3 * EVENTS_LARGEST,
    WIDE_SHARE = 8, /* a base moves when one of this many events is wide */
};

/* Reach of a base below the first address it is chosen for. */
#define BASE_ROOM (UINT64_C(1) << (32 + EVENTS_GRANULE_LOG2 - 1))

static const uint64_t time_mask = (UINT64_C(1) << EVENTS_TIME_BITS) - 1;

void events_writer_open(struct events_writer *writer, uint32_t process,
                        void *buffer, uint32_t capacity,
                        struct tally_zpl_sink sink)
{
    *writer = (struct events_writer){
        .sink = sink,
        .buffer = buffer,
        .capacity =
            capacity < EVENTS_PACKET_LIMIT ? capacity : EVENTS_PACKET_LIMIT,
        .process = process,
    };
    writer->capacity -= MOST_BYTES + EVENTS_PACKET_TRAILER;
}

static uint64_t base_for(uint64_t address)
{
    uint64_t granule = (UINT64_C(1) << EVENTS_GRANULE_LOG2) - 1;

    address &= ~granule;
    return address > BASE_ROOM ? address - BASE_ROOM : 0;
}

static void close_packet(struct events_writer *writer)
{
    struct events_packet packet = {
        .timestamp_begin = writer->begin_ns,
        .timestamp_end = writer->last_ns,
        .packet_size = (writer->used + EVENTS_PACKET_TRAILER) * 8,
        .packet_seq_num = writer->sequence,
        .process = writer->process,
        .events_discarded = writer->discarded,
        .event_seq_num = writer->events,
        .near_base = writer->bases[EVENTS_NEAR],
        .far_base = writer->bases[EVENTS_FAR],
    };

    writer->used += EVENTS_PACKET_TRAILER;
    events_packet_write(writer->buffer, &packet);
}

static void open_packet(struct events_writer *writer, uint64_t time_ns)
{
    writer->packet++;
    writer->begin_ns = time_ns;
    writer->last_ns = time_ns;
    writer->used = EVENTS_PACKET_HEAD;
    writer->caller_count = 0;
    writer->thread_count = 0;
    writer->wide_count = 0;
}

static void hand_on(struct events_writer *writer)
{
    close_packet(writer);
    if (writer->sink.write != NULL &&
        writer->sink.write(writer->sink.context, writer->buffer,
                           writer->used)) {
        writer->sequence++;
        writer->events += writer->pending;
    } else {
        writer->discarded += writer->pending;
    }
    writer->used = 0;
    if (writer->wide_count > writer->pending / WIDE_SHARE) {
        INVARIANT(I3, writer->used == 0);
        writer->bases[EVENTS_FAR] = base_for(writer->wide_address);
        writer->has_base[EVENTS_FAR] = true;
    }
    writer->pending = 0;
}

void events_writer_flush(struct events_writer *writer)
{
    if (writer->used != 0)
        hand_on(writer);
}

void events_writer_finish(struct events_writer *writer)
{
    uint64_t told = writer->used == 0 ? 0 : writer->discarded;

    events_writer_flush(writer);
    if (writer->discarded == told)
        return;
    open_packet(writer, writer->last_ns);
    hand_on(writer);
}

void events_writer_lose(struct events_writer *writer, uint64_t count)
{
    writer->discarded += count;
}

/* Write header and thread; return the address for the fields. */
static inline unsigned char *put_header(struct events_writer *writer,
                                        unsigned id, uint64_t time_ns,
                                        uint32_t thread)
{
    unsigned char *out = writer->buffer + writer->used;

    if (time_ns - writer->last_ns <= time_mask) {
        uint32_t word = (uint32_t)(time_ns & time_mask) << EVENTS_ID_BITS;

        out = put_word_le(out, word | id | thread << 24, 4);
    } else {
        out = put_word_le(out, EVENTS_ID_EXTENDED, 1);
        out = put_word_le(out, id, 1);
        out = put_word_le(out, time_ns, 8);
        out = put_word_le(out, thread, 1);
    }
    writer->last_ns = time_ns;
    return out;
}

static inline void end_event(struct events_writer *writer,
                             const unsigned char *out)
{
    writer->used = (uint32_t)(out - writer->buffer);
}

static uint32_t explain_thread(struct events_writer *writer, uint32_t tid,
                               uint64_t time_ns,
                               struct events_writer_thread *slot)
{
    unsigned char *out;

    *slot = (struct events_writer_thread){
        .tid = tid,
        .packet = writer->packet,
        .index = writer->thread_count++,
    };
    out = put_header(writer, EVENTS_ID_thread, time_ns, slot->index);
    end_event(writer, put_word_le(out, tid, EVENTS_BYTES_tid));
    return slot->index;
}

/* Free slots always exist: a packet ends before all are taken. */
static inline uint32_t thread_index(struct events_writer *writer, uint32_t tid,
                                    uint64_t time_ns)
{
    for (uint32_t i = tid;; i++) {
        struct events_writer_thread *slot =
            &writer->threads[i % EVENTS_WRITER_THREAD_SLOTS];

        if (slot->packet != writer->packet)
            return explain_thread(writer, tid, time_ns, slot);
        if (slot->tid == tid)
            return slot->index;
    }
}

static bool explain_caller(struct events_writer *writer, uint64_t caller,
                           uint64_t time_ns, uint32_t thread,
                           struct events_writer_caller *slot)
{
    unsigned char *out;

    if (writer->caller_count == EVENTS_CALLER_LIMIT)
        return false;
    *slot = (struct events_writer_caller){
        .address = caller,
        .packet = writer->packet,
        .index = writer->caller_count++,
    };
    out = put_header(writer, EVENTS_ID_caller, time_ns, thread);
    out = put_word_le(out, slot->index, EVENTS_BYTES_index);
    end_event(writer, put_word_le(out, caller, EVENTS_BYTES_address));
    return true;
}

/* Return false if this packet cannot define another caller. */
static inline bool caller_index(struct events_writer *writer, uint64_t caller,
                                uint64_t time_ns, uint32_t thread,
                                uint32_t *index)
{
    uint64_t hash = caller * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    struct events_writer_caller *slot;

    for (;; hash++) {
        slot = &writer->callers[hash % EVENTS_WRITER_CALLER_SLOTS];
        if (slot->packet != writer->packet) {
            if (!explain_caller(writer, caller, time_ns, thread, slot))
                return false;
            break;
        }
        if (slot->address == caller)
            break;
    }
    *index = slot->index;
    return true;
}

/* Compute the distances of both addresses of an event; absent addresses are
   NULL. */
static inline bool distances(uint64_t base, const struct mem_trace_event *event,
                             uint32_t *result, uint32_t *pointer)
{
    return events_distance(base, event->result, result) &&
           events_distance(base, event->pointer, pointer);
}

/* Count an address that neither base reaches but another base could. */
static void note_wide(struct events_writer *writer, uint64_t address)
{
    uint32_t distance;

    if (address % (1 << EVENTS_GRANULE_LOG2) != 0 ||
        events_distance(writer->bases[EVENTS_NEAR], address, &distance) ||
        events_distance(writer->bases[EVENTS_FAR], address, &distance))
        return;
    writer->wide_count++;
    writer->wide_address = address;
}

/* The first addresses choose the bases. */
static inline enum events_form find_form(struct events_writer *writer,
                                         const struct mem_trace_event *event,
                                         uint32_t *result, uint32_t *pointer)
{
    uint64_t address = event->result != 0 ? event->result : event->pointer;

    for (enum events_form form = EVENTS_NEAR; form <= EVENTS_FAR; form++) {
        if (!writer->has_base[form] && address != 0) {
            writer->bases[form] = base_for(address);
            writer->has_base[form] = true;
        }
        if (distances(writer->bases[form], event, result, pointer))
            return form;
    }
    note_wide(writer, address);
    return EVENTS_WIDE;
}

/* Values of an event's fields, by kind. */
struct parts {
    uint32_t index, result, pointer;
};

#define VALUE_index(name)   parts->index
#define VALUE_near(name)    parts->name
#define VALUE_far(name)     parts->name
#define VALUE_address(name) event->name
#define VALUE_small(name)   event->name
#define VALUE_whole(name)   event->name

#define PUT_FIELD(kind, name) \
    out = put_word_le(out, VALUE_##kind(name), EVENTS_BYTES_##kind);

#define PUT_EVENT(id, name, fields, c, a, n) \
    case id:                                 \
        fields(PUT_FIELD, c, a, n) break;

static inline unsigned char *put_fields(unsigned char *out, unsigned id,
                                        const struct mem_trace_event *event,
                                        const struct parts *parts)
{
    switch (id) {
        EVENTS_CALL_LIST(PUT_EVENT)
    }
    return out;
}

void events_writer_add(struct events_writer *writer,
                       const struct mem_trace_event *event)
{
    uint64_t time_ns = event->time_ns;
    struct parts parts = { 0 };
    enum events_form form = EVENTS_WIDE;
    unsigned char *out;
    uint32_t thread;
    unsigned id;

    if (time_ns < writer->last_ns)
        time_ns = writer->last_ns;
    if (writer->used > writer->capacity ||
        writer->thread_count == EVENTS_THREAD_LIMIT)
        hand_on(writer);
    if (writer->used == 0)
        open_packet(writer, time_ns);
    thread = thread_index(writer, event->thread, time_ns);
    if (((event->size | event->count) <= UINT16_MAX) &&
        caller_index(writer, event->caller, time_ns, thread, &parts.index))
        form = find_form(writer, event, &parts.result, &parts.pointer);
    id = events_id_of(event, form);
    out = put_header(writer, id, time_ns, thread);
    end_event(writer, put_fields(out, id, event, &parts));
    writer->pending += mem_trace_is_call(event);
    INVARIANT(I1, writer->used >= EVENTS_PACKET_HEAD &&
                      writer->used <= writer->capacity + MOST_BYTES);
    INVARIANT(I2, writer->caller_count <= EVENTS_CALLER_LIMIT &&
                      writer->thread_count <= EVENTS_THREAD_LIMIT);
}
