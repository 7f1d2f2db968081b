/* SPDX-License-Identifier: Apache-2.0 */
/* test_events_reader.c - every event reads back, and damage loses one packet */
#include "format/events/events_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bytes.h"
#include "tests/fakes/fake_sink.h"
#include "tests/fakes/random_events.h"

enum { EVENTS = 20000, CAPACITY = 4096 };

static struct mem_trace_event written[EVENTS];
static size_t
    packet_ends[EVENTS]; /* bytes and events up to the end of each packet */
static size_t packet_events[EVENTS];
static size_t packet_count;
static struct fake_sink *sink;
static struct events_reader reader;

static bool take(void *context, const void *bytes, size_t size)
{
    struct tally_zpl_sink taker = fake_sink(context);

    assert_true(taker.write(taker.context, bytes, size));
    packet_ends[packet_count++] = sink->size;
    return true;
}

/* Write some thousand events in packets of 4 KiB. */
static int write_stream(void **state)
{
    static unsigned char buffer[CAPACITY];
    static struct events_writer writer;
    struct random_sequence sequence = { 6 };
    struct mem_trace_event last = { .time_ns = 1 };

    (void)state;
    sink = fake_sink_create();
    packet_count = 0;
    events_writer_open(&writer, 77, buffer, sizeof buffer,
                       (struct tally_zpl_sink){ take, sink });
    for (size_t i = 0; i < EVENTS; i++) {
        size_t packets = packet_count;

        last = written[i] = random_event(&sequence, &last);
        events_writer_add(&writer, &last);
        if (packet_count > packets)
            packet_events[packets] = i;
    }
    events_writer_flush(&writer);
    packet_events[packet_count - 1] = EVENTS;
    return 0;
}

static int drop_stream(void **state)
{
    (void)state;
    fake_sink_destroy(sink);
    return 0;
}

enum { LARGEST_EVENT = 48 }; /* bytes; more than any event has */

static void assert_same(const struct mem_trace_event *a,
                        const struct mem_trace_event *b)
{
    assert_true(a->time_ns == b->time_ns);
    assert_true(a->result == b->result);
    assert_true(a->caller == b->caller);
    assert_true(a->pointer == b->pointer);
    assert_true(a->count == b->count);
    assert_true(a->size == b->size);
    assert_int_equal(a->thread, b->thread);
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->has_time, b->has_time);
}

/*
 * Read all bytes in pieces. The events must be those written, without those
 * from `missing_from` to `missing_to`.
 */
static void read_all(const unsigned char *bytes, size_t size, size_t piece,
                     size_t missing_from, size_t missing_to)
{
    struct mem_trace_event event;
    size_t done = 0, next = 0;

    events_reader_open(&reader);
    do {
        size_t length = size - done < piece ? size - done : piece;

        done += byte_stream_feed(&reader.in, bytes + done, length);
        if (done == size)
            byte_stream_end(&reader.in);
        while (events_reader_next(&reader, &event)) {
            if (next == missing_from)
                next = missing_to;
            assert_true(next < EVENTS);
            assert_same(&event, &written[next++]);
        }
    } while (done < size);
    assert_true(reader.in.offset == size);
    assert_int_equal(reader.events, EVENTS - (missing_to - missing_from));
}

static void every_event_comes_back(void **state)
{
    static const size_t pieces[] = { SIZE_MAX, 1000, 7 };

    (void)state;
    for (unsigned i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        read_all(sink->bytes, sink->size, pieces[i], EVENTS, EVENTS);
        assert_int_equal(reader.packets, packet_count);
        assert_int_equal(reader.in.skipped.bytes, 0);
        assert_int_equal(reader.missing, 0);
        assert_int_equal(reader.packet.process, 77);
    }
}

/* Return the packet that contains the byte at `offset`. */
static size_t packet_of(size_t offset)
{
    size_t packet = 0;

    while (packet_ends[packet] <= offset)
        packet++;
    return packet;
}

static void a_byte_that_flips_takes_its_packet(void **state)
{
    struct random_sequence sequence = { 7 };
    size_t end = packet_ends[packet_count - 2];

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        size_t at = random_below(&sequence, (uint32_t)end);
        unsigned char flip = (unsigned char)(1 + random_below(&sequence, 255));
        size_t packet = packet_of(at);
        size_t from = packet == 0 ? 0 : packet_events[packet - 1];

        sink->bytes[at] ^= flip;
        read_all(sink->bytes, sink->size, SIZE_MAX, from,
                 packet_events[packet]);
        assert_int_equal(reader.missing, packet_events[packet] - from);
        assert_int_equal(reader.packets, packet_count - 1);
        assert_int_equal(reader.in.skipped.places, 1);
        assert_int_equal(reader.in.skipped.first,
                         packet == 0 ? 0 : packet_ends[packet - 1]);
        sink->bytes[at] ^= flip;
    }
}

/* Remove bytes in the middle: one packet is lost, or two if both are hit. */
static void a_cut_takes_what_it_touches(void **state)
{
    struct random_sequence sequence = { 8 };
    size_t end = packet_ends[packet_count - 3];
    unsigned char *bytes = malloc(sink->size);

    (void)state;
    assert_non_null(bytes);
    for (unsigned i = 0; i < 300; i++) {
        size_t at = random_below(&sequence, (uint32_t)end);
        size_t gone = 1 + random_below(&sequence, 2000);
        size_t first = packet_of(at), last = packet_of(at + gone - 1);
        size_t from = first == 0 ? 0 : packet_events[first - 1];

        memcpy(bytes, sink->bytes, at);
        memcpy(bytes + at, sink->bytes + at + gone, sink->size - at - gone);
        read_all(bytes, sink->size - gone, SIZE_MAX, from, packet_events[last]);
        assert_int_equal(reader.missing, packet_events[last] - from);
    }
    free(bytes);
}

/* The intact part of the last packet is read, if its header is there. */
static void a_stream_may_end_anywhere(void **state)
{
    (void)state;
    for (size_t size = 1; size < packet_ends[2]; size += 13) {
        size_t packet = packet_of(size);
        size_t begin = packet == 0 ? 0 : packet_ends[packet - 1];
        size_t before = packet == 0 ? 0 : packet_events[packet - 1];
        struct mem_trace_event event;
        size_t next = 0;

        events_reader_open(&reader);
        assert_int_equal(byte_stream_feed(&reader.in, sink->bytes, size), size);
        byte_stream_end(&reader.in);
        while (events_reader_next(&reader, &event))
            assert_same(&event, &written[next++]);
        assert_true(reader.in.offset == size);
        assert_true(next >= before && next <= packet_events[packet]);
        assert_int_equal(reader.is_cut, size - begin >= EVENTS_PACKET_HEAD);
        if (!reader.is_cut)
            assert_int_equal(reader.in.skipped.bytes, size - begin);
        else
            assert_in_range(reader.in.skipped.bytes, 0, LARGEST_EVENT - 1);
        if (packet_ends[packet] - size <= EVENTS_PACKET_TRAILER)
            assert_int_equal(next, packet_events[packet]);
    }
}

static void lost_events_are_told_of(void **state)
{
    static unsigned char buffer[CAPACITY];
    static struct events_writer writer;
    struct mem_trace_event event;

    (void)state;
    sink->size = 0;
    events_writer_open(&writer, 78, buffer, sizeof buffer,
                       (struct tally_zpl_sink){ take, sink });
    events_writer_add(&writer, &written[0]);
    events_writer_flush(&writer);
    events_writer_lose(&writer, 12);
    events_writer_add(&writer, &written[1]);
    events_writer_flush(&writer);
    events_writer_lose(&writer, 30);
    events_writer_finish(&writer);
    events_reader_open(&reader);
    byte_stream_feed(&reader.in, sink->bytes, sink->size);
    byte_stream_end(&reader.in);
    while (events_reader_next(&reader, &event))
        ;
    assert_int_equal(reader.events, 2);
    assert_int_equal(reader.discarded, 42);
    assert_int_equal(reader.missing, 0);
    assert_int_equal(reader.in.skipped.bytes, 0);
}

static void other_streams_are_not_known(void **state)
{
    unsigned char head[EVENTS_PACKET_HEAD];

    (void)state;
    memcpy(head, sink->bytes, sizeof head);
    assert_true(events_reader_knows(head, sizeof head));
    assert_false(events_reader_knows(head, sizeof head - 1));
    head[4] = 0x14; /* ZPL's layout 1 */
    assert_false(events_reader_knows(head, sizeof head));
}

/* Without the trailer it would be larger than any packet. */
static void a_packet_smaller_than_its_trailer_is_none(void **state)
{
    unsigned char head[EVENTS_PACKET_HEAD];

    (void)state;
    memcpy(head, sink->bytes, sizeof head);
    for (uint32_t bits = 0; bits < EVENTS_PACKET_TRAILER * 8; bits += 8) {
        put_word_le(head + 24, bits - EVENTS_PACKET_TRAILER * 8, 4);
        put_word_le(head + 28, bits, 4);
        assert_false(events_reader_knows(head, sizeof head));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, write_stream, drop_stream)
        TEST(every_event_comes_back),
        TEST(a_byte_that_flips_takes_its_packet),
        TEST(a_cut_takes_what_it_touches),
        TEST(a_stream_may_end_anywhere),
        TEST(lost_events_are_told_of),
        TEST(other_streams_are_not_known),
        TEST(a_packet_smaller_than_its_trailer_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
