/* SPDX-License-Identifier: Apache-2.0 */
/* test_events_writer.c - packets byte by byte, their ends, and lost events */
#include "format/events/events_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/ctf/ctf_stream.h"
#include "tests/fakes/fake_sink.h"

#define HEAP UINT64_C(0x20000000)
#define MAPS UINT64_C(0x7f0000000000)

enum { AROUND = EVENTS_PACKET_HEAD + EVENTS_PACKET_TRAILER };

/* Definitions before a packet's first event: its thread, its caller. */
enum { EXPLANATIONS = 4 + 4 + 4 + 10 };

static unsigned char buffer[EVENTS_PACKET_LIMIT];
static struct events_writer writer;

static int create(void **state)
{
    *state = fake_sink_create();
    return 0;
}

static int destroy(void **state)
{
    fake_sink_destroy(*state);
    return 0;
}

static void open_on(struct fake_sink *sink, uint32_t capacity)
{
    struct tally_zpl_sink taker = fake_sink(sink);

    events_writer_open(&writer, 77, buffer, capacity, taker);
}

static struct mem_trace_event malloc_at(uint64_t time_ns, uint64_t result)
{
    return (struct mem_trace_event){
        .time_ns = time_ns,
        .result = result,
        .caller = 0x600d,
        .size = 50,
        .thread = 9,
    };
}

static struct events_packet packet_at(const struct fake_sink *sink,
                                      size_t offset)
{
    struct events_packet packet;

    assert_true(offset + EVENTS_PACKET_HEAD <= sink->size);
    assert_true(events_packet_read(sink->bytes + offset, &packet));
    assert_true(
        ctf_packet_is_whole(sink->bytes + offset, packet.packet_size / 8));
    return packet;
}

static void a_packet_lies_as_it_is_documented(void **state)
{
    static const unsigned char expected[] = {
        0xc1, 0x1f, 0xfc, 0xc1, 0x01, 0x4d,
        0,    0, /* magic, stream */
        1,    2,    0,    0,    0,    0,
        0,    0, /* begin: 0x201 */
        3,    2,    0,    0,    0,    0,
        0,    0, /* end: 0x203 */
        0xa0, 3,    0,    0,    0xc0, 3,
        0,    0, /* 116 bytes, and 4 after
                                                     them */
        0,    0,    0,    0,    77,   0,
        0,    0, /* the first, process 77 */
        0,    0,    0,    0,    0,    0,
        0,    0, /* nothing lost */
        0,    0,    0,    0,    0,    0,
        0,    0, /* no call before */
        0,    0,    0,    0,    0,    0,
        0,    0, /* near base */
        0,    0,    0,    0,    0,    0,
        0,    0, /* far base */
        0x20, 0x40, 0,    0,    9,    0,
        0,    0,                         /* thread 0 is 9 */
        0x21, 0x40, 0,    0,    0,    0, /* caller 0 ... */
        0x0d, 0x60, 0,    0,    0,    0,
        0,    0,                         /* ... is 0x600d */
        0x22, 0x40, 0,    0,    0,    0, /* malloc, at 0x201 */
        0x02, 0,    0,    4,    50,   0, /* 0x20000010 / 8, of 50 */
        0x6b, 0x40, 0,    0,    0,    0, /* free, at 0x203 */
        0x02, 0,    0,    4,             /* of the same */
        0,    0,    0,    0,             /* the sum, not compared */
    };
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(0x201, HEAP + 0x10);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    event = (struct mem_trace_event){ .time_ns = 0x203,
                                      .pointer = HEAP + 0x10,
                                      .caller = 0x600d,
                                      .thread = 9,
                                      .op = MEM_TRACE_FREE };
    events_writer_add(&writer, &event);
    assert_int_equal(sink->size, 0);
    events_writer_flush(&writer);
    assert_int_equal(sink->size, sizeof expected);
    packet_at(sink, 0);
    memset(sink->bytes + sizeof expected - 4, 0, 4);
    assert_memory_equal(sink->bytes, expected, sizeof expected);
}

static void a_pause_takes_a_longer_header(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(5, HEAP);
    uint32_t used;

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    used = writer.used;
    assert_int_equal(used, EVENTS_PACKET_HEAD + EXPLANATIONS + 12);
    event.time_ns += (1 << EVENTS_TIME_BITS) - 1;
    events_writer_add(&writer, &event);
    assert_int_equal(writer.used - used, 12);
    used = writer.used;
    event.time_ns += 1 << EVENTS_TIME_BITS;
    events_writer_add(&writer, &event);
    assert_int_equal(writer.used - used, 19);
}

static void what_does_not_fit_is_wide(void **state)
{
    static const struct {
        uint64_t result, size;
        uint32_t bytes;
    } cases[] = {
        { MAPS, 65535, 12 },         /* the far base */
        { 0, 50, 12 },               /* NULL needs no base */
        { HEAP + 0x18, 50, 12 },     /* a granule is 8 */
        { HEAP + 4, 50, 28 },        /* ... and not less */
        { HEAP, 65536, 28 },         /* more than 16 bits */
        { UINT64_C(1) << 60, 1, 28 } /* far from both bases */
    };
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(5, HEAP);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t used = writer.used;

        event.result = cases[i].result;
        event.size = cases[i].size;
        events_writer_add(&writer, &event);
        assert_int_equal(writer.used - used, cases[i].bytes);
    }
}

static void a_realloc_that_does_not_move_is_shorter(void **state)
{
    static const struct {
        uint64_t result, pointer;
        uint32_t bytes;
    } cases[] = {
        { HEAP, HEAP + 16, 16 }, { HEAP, HEAP, 12 },         { HEAP, 0, 12 },
        { 0, HEAP, 16 },         { HEAP + 4, HEAP + 4, 36 },
    };
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(5, HEAP);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    event.op = MEM_TRACE_REALLOC;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t used = writer.used;

        event.result = cases[i].result;
        event.pointer = cases[i].pointer;
        events_writer_add(&writer, &event);
        assert_int_equal(writer.used - used, cases[i].bytes);
    }
}

/* Heaps that come late, or move later, get a base, too. */
static void a_base_moves_to_where_addresses_are(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(5, HEAP);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    event.result = MAPS;
    events_writer_add(&writer, &event);
    event.result = UINT64_C(1) << 60;
    events_writer_add(&writer, &event);
    events_writer_flush(&writer);
    events_writer_add(&writer, &event);
    assert_int_equal(writer.used, EVENTS_PACKET_HEAD + EXPLANATIONS + 12);
    events_writer_flush(&writer);
    assert_true(packet_at(sink, 0).far_base < MAPS);
    assert_true(packet_at(sink, packet_at(sink, 0).packet_size / 8).far_base >
                MAPS);
}

static void a_full_packet_is_handed_on(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(1, HEAP);
    uint32_t events = 0;

    open_on(sink, EVENTS_WRITER_SMALLEST);
    while (sink->calls < 2) {
        events_writer_add(&writer, &event);
        events++;
    }
    assert_in_range(packet_at(sink, 0).packet_size / 8, AROUND + EXPLANATIONS,
                    EVENTS_WRITER_SMALLEST);
    assert_int_equal(
        packet_at(sink, packet_at(sink, 0).packet_size / 8).packet_seq_num, 1);
    assert_int_equal(
        packet_at(sink, packet_at(sink, 0).packet_size / 8).event_seq_num,
        (events - 1) / 2);
    events_writer_flush(&writer);
    assert_int_equal(sink->calls, 3);
    assert_int_equal(writer.events, events);
    events_writer_finish(&writer); /* nothing is there */
    assert_int_equal(sink->calls, 3);
}

/* Limits of docs/events-format.md: 131,072 bytes, 4,096 callers, 192
   threads. */
static void a_packet_explains_so_much(void **state)
{
    static unsigned char large[EVENTS_PACKET_LIMIT + 1000];
    struct fake_sink *sink = *state;
    struct tally_zpl_sink taker = fake_sink(sink);
    struct mem_trace_event event = malloc_at(1, HEAP);
    uint32_t first_size;

    events_writer_open(&writer, 77, large, sizeof large, taker);
    for (uint32_t i = 1; sink->calls == 0; i++) {
        event.caller++;
        events_writer_add(&writer, &event);
        if (sink->calls == 0)
            assert_int_equal(writer.caller_count, i < 4096 ? i : 4096);
    }
    first_size = packet_at(sink, 0).packet_size / 8;
    assert_in_range(first_size, 131072 - EVENTS_WRITER_SMALLEST, 131072);
    events_writer_flush(&writer);
    event.caller = 0x600d;
    for (uint32_t i = 1; i <= 193; i++) {
        event.thread = 100 + i;
        events_writer_add(&writer, &event);
        assert_int_equal(writer.thread_count, i <= 192 ? i : 1);
    }
    assert_int_equal(sink->calls, 3);
}

static void what_is_refused_is_told_of_later(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(1, HEAP);

    open_on(sink, sizeof buffer);
    sink->is_closed = true;
    events_writer_add(&writer, &event);
    events_writer_add(&writer, &event);
    events_writer_flush(&writer);
    sink->is_closed = false;
    events_writer_add(&writer, &event);
    events_writer_lose(&writer, 5);
    events_writer_flush(&writer);
    assert_int_equal(packet_at(sink, 0).packet_seq_num, 0);
    assert_int_equal(packet_at(sink, 0).event_seq_num, 0);
    assert_int_equal(packet_at(sink, 0).events_discarded, 7);
    assert_int_equal(writer.discarded, 7);
}

static void what_is_lost_at_the_end_has_a_packet(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(1, HEAP);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    events_writer_flush(&writer);
    events_writer_lose(&writer, 3);
    events_writer_finish(&writer);
    assert_int_equal(sink->calls, 2);
    assert_int_equal(sink->size, 2 * AROUND + EXPLANATIONS + 12);
    assert_int_equal(
        packet_at(sink, AROUND + EXPLANATIONS + 12).events_discarded, 3);
}

/* Frames of samples and promotions are not calls, but they are sent. */
static void calls_alone_are_counted(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event call = malloc_at(1, HEAP);
    struct mem_trace_event frame = { .time_ns = 1,
                                     .caller = 0x600d,
                                     .count = 1,
                                     .thread = 9,
                                     .op = MEM_TRACE_FRAME };
    size_t second;

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &frame);
    events_writer_add(&writer, &call);
    events_writer_flush(&writer);
    second = sink->size;
    sink->is_closed = true;
    events_writer_add(&writer, &frame);
    events_writer_add(&writer, &call);
    events_writer_flush(&writer);
    sink->is_closed = false;
    frame.op = MEM_TRACE_PROMOTE;
    frame.pointer = HEAP;
    events_writer_add(&writer, &frame);
    events_writer_finish(&writer);
    assert_int_equal(sink->calls, 2);
    assert_int_equal(packet_at(sink, second).event_seq_num, 1);
    assert_int_equal(packet_at(sink, second).events_discarded, 1);
    assert_int_equal(writer.events, 1);
    assert_int_equal(writer.discarded, 1);
}

static void time_does_not_go_back(void **state)
{
    struct fake_sink *sink = *state;
    struct mem_trace_event event = malloc_at(100, HEAP);

    open_on(sink, sizeof buffer);
    events_writer_add(&writer, &event);
    event.time_ns = 99;
    events_writer_add(&writer, &event);
    events_writer_flush(&writer);
    assert_true(packet_at(sink, 0).timestamp_begin == 100);
    assert_true(packet_at(sink, 0).timestamp_end == 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
        TEST(a_packet_lies_as_it_is_documented),
        TEST(a_pause_takes_a_longer_header),
        TEST(what_does_not_fit_is_wide),
        TEST(a_realloc_that_does_not_move_is_shorter),
        TEST(a_base_moves_to_where_addresses_are),
        TEST(a_full_packet_is_handed_on),
        TEST(a_packet_explains_so_much),
        TEST(what_is_refused_is_told_of_later),
        TEST(what_is_lost_at_the_end_has_a_packet),
        TEST(calls_alone_are_counted),
        TEST(time_does_not_go_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
