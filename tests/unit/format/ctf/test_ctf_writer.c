/* SPDX-License-Identifier: Apache-2.0 */
/* test_ctf_writer.c - packets byte by byte, their ends, and lost events */
#include "format/ctf/ctf_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_sink.h"

enum { AROUND = CTF_PACKET_HEAD + CTF_PACKET_TRAILER };

static const struct ctf_layout narrow = { 1, 4, true, NULL };

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

static struct zpl_event event_at(uint64_t time_ns)
{
    return (struct zpl_event){ time_ns, 0x20000010, 7, 9, 0, ZPL_HEAP };
}

static struct ctf_packet packet_at(const struct fake_sink *sink, size_t offset)
{
    struct ctf_packet packet;
    struct ctf_layout layout;

    assert_true(offset + CTF_PACKET_HEAD <= sink->size);
    assert_true(ctf_packet_read(sink->bytes + offset, &packet, &layout));
    assert_true(ctf_packet_read_trailer(sink->bytes + offset, &packet));
    return packet;
}

static void a_packet_lies_as_it_is_documented(void **state)
{
    static const unsigned char expected[] = {
        0xc1, 0x1f, 0xfc, 0xc1, 0x14, 0,    0, 0, /* magic, layout 1 with 4 */
        1,    2,    3,    4,    5,    0,    0, 0, /* begin */
        2,    2,    3,    4,    5,    0,    0, 0, /* end */
        0xa0, 2,    0,    0,    0xe0, 2,    0, 0, /* 84 bytes, and 8 after
                                                     them */
        0,    0,    0,    0,                      /* the first packet */
        0,    0,    0,    0,                      /* nothing lost */
        1,    2,    3,    4,    0xee, 1,          /* event */
        0x10, 0,    0,    0x20, 7,    0,    0, 0,    9, 0, 0,    0, 0, 0, 0,
        0,    2,    2,    3,    4,    0xee, 1, 0x10, 0, 0, 0x20, 7, 0, 0, 0,
        9,    0,    0,    0,    0,    0,    0, 0,    5, 0, 0,    0, /* us */
        0,    0,    0,    0, /* the sum, not compared */
    };
    struct fake_sink *sink = *state;
    unsigned char buffer[256];
    struct ctf_writer writer;
    struct zpl_event event = event_at(0x0504030201);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    writer.profiler_us = 5;
    ctf_writer_event(&writer, &event);
    event.time_ns++;
    ctf_writer_event(&writer, &event);
    assert_int_equal(sink->size, 0);
    ctf_writer_flush(&writer);
    assert_int_equal(sink->size, sizeof expected);
    packet_at(sink, 0);
    memset(sink->bytes + sizeof expected - 4, 0, 4);
    assert_memory_equal(sink->bytes, expected, sizeof expected);
}

static void a_full_packet_is_handed_on(void **state)
{
    struct fake_sink *sink = *state;
    unsigned char buffer[AROUND + 3 * 22];
    struct ctf_writer writer;
    struct zpl_event event = event_at(1);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    for (unsigned i = 0; i < 7; i++)
        ctf_writer_event(&writer, &event);
    assert_int_equal(sink->calls, 2);
    assert_int_equal(sink->size, 2 * sizeof buffer);
    ctf_writer_flush(&writer);
    assert_int_equal(sink->calls, 3);
    assert_int_equal(packet_at(sink, 0).packet_seq_num, 0);
    assert_int_equal(packet_at(sink, sizeof buffer).packet_seq_num, 1);
    assert_int_equal(packet_at(sink, 2 * sizeof buffer).packet_size,
                     (AROUND + 22) * 8);
    ctf_writer_flush(&writer); /* nothing to send */
    assert_int_equal(sink->calls, 3);
}

/* 16,384 bytes, as docs/zpl-trace.md has it. */
static void a_packet_is_no_larger(void **state)
{
    static unsigned char buffer[20000];
    struct fake_sink *sink = *state;
    struct ctf_writer writer;
    struct zpl_event event = event_at(1);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    while (sink->calls == 0)
        ctf_writer_event(&writer, &event);
    assert_in_range(packet_at(sink, 0).packet_size, 131072 - 22 * 8, 131072);
}

static void no_packet_spans_a_wrap_of_the_clock(void **state)
{
    struct fake_sink *sink = *state;
    unsigned char buffer[4096];
    struct ctf_writer writer;
    const uint64_t begin = 1000;
    struct zpl_event event = event_at(begin);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    ctf_writer_event(&writer, &event);
    event.time_ns = begin + UINT32_MAX;
    ctf_writer_event(&writer, &event);
    assert_int_equal(sink->calls, 0);
    event.time_ns++;
    ctf_writer_event(&writer, &event);
    assert_int_equal(sink->calls, 1);
    ctf_writer_flush(&writer);
    assert_true(packet_at(sink, 0).timestamp_begin == begin);
    assert_true(packet_at(sink, 0).timestamp_end == begin + UINT32_MAX);
    assert_true(packet_at(sink, AROUND + 2 * 22).timestamp_begin ==
                begin + UINT32_MAX + 1);
}

static void times_do_not_go_back(void **state)
{
    struct fake_sink *sink = *state;
    unsigned char buffer[4096];
    struct ctf_writer writer;
    struct zpl_event event = event_at(500);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    ctf_writer_event(&writer, &event);
    event.time_ns = 400;
    ctf_writer_event(&writer, &event);
    ctf_writer_flush(&writer);
    assert_int_equal(packet_at(sink, 0).timestamp_begin, 500);
    assert_int_equal(packet_at(sink, 0).timestamp_end, 500);
}

static void what_is_refused_is_counted_in_the_next_packet(void **state)
{
    struct fake_sink *sink = *state;
    unsigned char buffer[AROUND + 4 * 22];
    struct ctf_writer writer;
    struct zpl_event event = event_at(1);

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    sink->is_closed = true;
    for (unsigned i = 0; i < 9; i++)
        ctf_writer_event(&writer, &event);
    assert_int_equal(writer.discarded, 8);
    sink->is_closed = false;
    ctf_writer_flush(&writer);
    assert_int_equal(packet_at(sink, 0).events_discarded, 8);
    assert_int_equal(packet_at(sink, 0).packet_seq_num, 0);
    assert_int_equal(sink->refused, 2);
}

static void without_a_sink_everything_is_lost_and_counted(void **state)
{
    unsigned char buffer[CTF_WRITER_SMALLEST];
    struct ctf_writer writer;
    struct zpl_event event = event_at(1);

    (void)state;
    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer,
                    (struct tally_zpl_sink){ 0 });
    ctf_writer_event(&writer, &event);
    ctf_writer_flush(&writer);
    assert_int_equal(writer.discarded, 1);
}

static void bare_streams_are_events_alone(void **state)
{
    static const struct ctf_layout layouts[] = { { 1, 8, false, NULL },
                                                 { 2, 4, false, NULL },
                                                 { 3, 8, false, NULL } };
    struct fake_sink *sink = *state;

    for (unsigned i = 0; i < 3; i++) {
        unsigned char buffer[CTF_WRITER_SMALLEST];
        struct ctf_writer writer;
        struct zpl_event event = event_at(1);

        sink->size = 0;
        ctf_writer_open(&writer, &layouts[i], buffer, sizeof buffer,
                        fake_sink(sink));
        for (unsigned k = 0; k < 5; k++)
            ctf_writer_event(&writer, &event);
        ctf_writer_flush(&writer);
        assert_int_equal(sink->size, 5 * ctf_layout_event_bytes(&layouts[i]));
    }
}

/* Zephyr's TSDL has the fields thread_id, name[20]. */
static void names_are_zephyrs_events(void **state)
{
    static const struct {
        struct ctf_layout layout;
        unsigned size;
        unsigned char bytes[38];
    } wanted[] = {
        { { 1, 4, false, NULL },
          29,
          "\x22\x11\0\0\x1a\x78\x56\x34\x12sensor\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0" },
        { { 2, 8, false, NULL },
          30,
          "\x22\x11\0\0\x1a\0\x78\x56\x34\x12sensor\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "\0" },
        { { 3, 8, false, NULL },
          38,
          "\0\0\x30\x01\x22\x11\0\0\0\0\0\0\x1a\0\x78\x56\x34\x12sensor" },
        { { 4, 4, false, NULL },
          34,
          "\x22\x11\0\0\0\0\0\0\x1a\0\x78\x56\x34\x12sensor" },
    };
    struct fake_sink *sink = *state;

    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        unsigned char buffer[CTF_WRITER_SMALLEST];
        struct ctf_writer writer;
        struct zpl_event event = event_at(0x1122);
        size_t before;

        sink->size = 0;
        ctf_writer_open(&writer, &wanted[i].layout, buffer, sizeof buffer,
                        fake_sink(sink));
        ctf_writer_event(&writer, &event);
        ctf_writer_name(&writer, 0x12345678, "sensor", 5); /* raised */
        ctf_writer_event(&writer, &event);
        ctf_writer_flush(&writer);
        before = ctf_layout_event_bytes(&wanted[i].layout);
        assert_int_equal(sink->size, 2 * before + wanted[i].size);
        assert_memory_equal(sink->bytes + before, wanted[i].bytes,
                            wanted[i].size);
    }
}

static void a_long_name_is_truncated(void **state)
{
    static const char longest[] = "nineteen letters ok";
    struct fake_sink *sink = *state;
    unsigned char buffer[CTF_WRITER_SMALLEST];
    struct ctf_writer writer;
    struct ctf_layout layout = { 1, 4, false, NULL };

    ctf_writer_open(&writer, &layout, buffer, sizeof buffer, fake_sink(sink));
    ctf_writer_name(&writer, 1, "nineteen letters ok, and more", 5);
    ctf_writer_name(&writer, 2, longest, 6);
    ctf_writer_name(&writer, 3, "", 7);
    ctf_writer_flush(&writer);
    assert_int_equal(sizeof longest, CTF_NAME_CAPACITY);
    assert_int_equal(sink->size, 3 * 29);
    assert_memory_equal(sink->bytes + 9, longest, 20);
    assert_memory_equal(sink->bytes + 29 + 9, longest, 20);
    assert_memory_equal(sink->bytes + 2 * 29 + 9, (unsigned char[20]){ 0 }, 20);
}

static void any_changed_word_changes_the_sum(void **state)
{
    unsigned char bytes[AROUND + 22 * 2];
    struct ctf_packet packet = {
        .stream_id = 0x14,
        .packet_size = sizeof bytes * 8,
    };
    uint32_t sum;

    (void)state;
    memset(bytes, 0x5a, sizeof bytes);
    ctf_packet_write(bytes, &packet);
    sum = ctf_packet_sum(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes - 4; i++) {
        for (unsigned flip = 1; flip < 256; flip++) {
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
            assert_int_not_equal(ctf_packet_sum(bytes, sizeof bytes), sum);
            bytes[i] = (unsigned char)(bytes[i] ^ flip);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packet_lies_as_it_is_documented),
        TEST(a_full_packet_is_handed_on),
        TEST(a_packet_is_no_larger),
        TEST(no_packet_spans_a_wrap_of_the_clock),
        TEST(times_do_not_go_back),
        TEST(what_is_refused_is_counted_in_the_next_packet),
        TEST(without_a_sink_everything_is_lost_and_counted),
        TEST(bare_streams_are_events_alone),
        TEST(names_are_zephyrs_events),
        TEST(a_long_name_is_truncated),
        TEST(any_changed_word_changes_the_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
