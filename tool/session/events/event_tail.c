/* SPDX-License-Identifier: Apache-2.0 */
/* event_tail.c - see events.h */
#include "tool/session/events/events.h"

#include <stdlib.h>
#include <string.h>

#include "format/ledger/ledger_layout.h"

/* Most bytes of an event in a stream, as a multiple of its bytes in a ring. */
enum { WORST = 3 };

struct tail {
    struct ledger_events head;
    unsigned char *stream;
    uint64_t room;
    uint32_t frame_count; /* frames waiting for their call */
    struct mem_trace_event frames[MEM_TRACE_DEEPEST];
    struct events_writer writer;
    unsigned char packet[EVENTS_PACKET_LIMIT];
};

static bool add_packet(void *context, const void *bytes, size_t size)
{
    struct tail *tail = context;

    if (size > tail->room)
        return false;
    memcpy(tail->stream + tail->head.size, bytes, size);
    tail->head.size += size;
    tail->room -= size;
    return true;
}

/* Add an event with its frames. Frames whose call was overwritten are
   dropped. */
static void take_event(void *context, const struct mem_trace_event *event)
{
    struct tail *tail = context;
    uint64_t expected = event->op == MEM_TRACE_FRAME ? event->count + 1 : 1;

    if (tail->frame_count > 0 &&
        tail->frames[tail->frame_count - 1].count != expected)
        tail->frame_count = 0;
    if (event->op == MEM_TRACE_FRAME) {
        if (tail->frame_count < MEM_TRACE_DEEPEST)
            tail->frames[tail->frame_count++] = *event;
        return;
    }
    for (uint32_t i = 0; i < tail->frame_count; i++)
        events_writer_add(&tail->writer, &tail->frames[i]);
    tail->frame_count = 0;
    events_writer_add(&tail->writer, event);
    if (tail->head.first_ns == 0)
        tail->head.first_ns = event->time_ns;
    tail->head.last_ns = event->time_ns;
}

/* Return the number of calls ever added to the rings, and at most how many
   words are still there. */
static uint64_t count_calls(const struct ring_reader *reader, uint64_t *words)
{
    uint64_t count = 0;

    *words = 0;
    for (uint32_t i = 0; i < reader->ring_count; i++) {
        uint64_t head = reader->area->rings[i].head;

        count += reader->area->rings[i].events;
        *words += head < EVENTS_RING_WORDS ? head : EVENTS_RING_WORDS;
    }
    return count;
}

void event_tail_add(struct ledger_snapshot *snapshot)
{
    static struct tail tail; /* large */
    /* A black box counts time in nanoseconds. */
    const struct tick_scale scale = { .clock = EVENTS_CLOCK_NANOSECONDS };
    struct ring_reader reader;
    uint64_t calls, words;
    unsigned char *added;

    if (snapshot->fd < 0 ||
        !ring_reader_open(&reader, snapshot->fd, snapshot->offset))
        return;
    calls = count_calls(&reader, &words);
    tail.head = (struct ledger_events){ 0 };
    tail.room = EVENTS_PACKET_LIMIT + WORST * 8 * words;
    tail.stream = reader.is_blackbox ? malloc(tail.room) : NULL;
    if (tail.stream != NULL) {
        tail.frame_count = 0;
        events_writer_open(&tail.writer, snapshot->header->pid, tail.packet,
                           sizeof tail.packet,
                           (struct tally_zpl_sink){ add_packet, &tail });
        ring_reader_take(&reader, &scale, true, UINT64_MAX, take_event, &tail);
        events_writer_flush(&tail.writer);
        tail.head.events = tail.writer.events;
        if (calls > tail.head.events)
            tail.head.overwritten = calls - tail.head.events;
        added = ledger_snapshot_add(snapshot, LEDGER_SEGMENT_EVENTS, 0,
                                    sizeof tail.head + tail.head.size);
        if (added != NULL) {
            memcpy(added, &tail.head, sizeof tail.head);
            memcpy(added + sizeof tail.head, tail.stream, tail.head.size);
        }
        free(tail.stream);
    }
    ring_reader_close(&reader);
}
