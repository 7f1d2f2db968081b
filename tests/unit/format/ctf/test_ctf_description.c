/* SPDX-License-Identifier: Apache-2.0 */
/* test_ctf_description.c - metadata within their own stream */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/ctf/ctf_input.h"
#include "format/ctf/ctf_stream.h"
#include "tests/fakes/fake_sink.h"

#define TEXT "env { program = \"boiler\"; };"

enum {
    TEXT_BYTES = sizeof TEXT - 1,
    AROUND = CTF_PACKET_HEAD + CTF_PACKET_TRAILER,
    EVENT_PACKET = AROUND + 22,
    WHOLE = 2 * EVENT_PACKET + AROUND + TEXT_BYTES,
};

static const struct ctf_layout narrow = { 1, 4, true, NULL };

struct found {
    unsigned events;
    bool has_text;
    uint64_t skipped_bytes, lost_packets;
};

static struct found read_all(const unsigned char *bytes, size_t size)
{
    struct ctf_reader *reader = malloc(sizeof *reader);
    struct found found = { 0 };
    struct zpl_event event;

    assert_non_null(reader);
    ctf_reader_open(reader, NULL);
    assert_int_equal(byte_stream_feed(&reader->in, bytes, size), size);
    byte_stream_end(&reader->in);
    while (ctf_reader_next(reader, &event)) {
        assert_int_equal(event.memory_addr, 0x20000010);
        found.events++;
    }
    found.has_text = reader->description != NULL &&
                     reader->description_size == TEXT_BYTES &&
                     memcmp(reader->description, TEXT, TEXT_BYTES) == 0;
    found.skipped_bytes = reader->in.skipped.bytes;
    found.lost_packets = reader->lost_packets;
    free(reader);
    return found;
}

/* An event, the text, another event. */
static struct fake_sink *write_all(void)
{
    static const struct zpl_event event = {
        1000, 0x20000010, 7, 9, 0, ZPL_HEAP
    };
    struct fake_sink *sink = fake_sink_create();
    unsigned char packet[AROUND + TEXT_BYTES];
    unsigned char buffer[256];
    struct ctf_writer writer;

    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer, fake_sink(sink));
    ctf_writer_event(&writer, &event);
    memcpy(packet + CTF_PACKET_HEAD, TEXT, TEXT_BYTES);
    ctf_writer_describe(&writer, packet, sizeof packet, 2000);
    ctf_writer_event(&writer, &event);
    ctf_writer_flush(&writer);
    assert_int_equal(writer.sequence, 3);
    assert_int_equal(writer.discarded, 0);
    assert_int_equal(sink->size, WHOLE);
    return sink;
}

static void it_is_a_packet_without_events(void **state)
{
    struct fake_sink *sink = write_all();
    struct ctf_packet packet;
    struct ctf_layout layout;
    struct found found;

    (void)state;
    assert_true(ctf_packet_read(sink->bytes + EVENT_PACKET, &packet, &layout));
    assert_int_equal(packet.content_size, CTF_PACKET_HEAD * 8);
    assert_int_equal(packet.packet_size, (AROUND + TEXT_BYTES) * 8);
    assert_int_equal(packet.packet_seq_num, 1);
    assert_int_equal(packet.timestamp_begin, 2000);
    assert_int_equal(packet.timestamp_end, 2000);
    found = read_all(sink->bytes, sink->size);
    assert_int_equal(found.events, 2);
    assert_true(found.has_text);
    assert_int_equal(found.skipped_bytes, 0);
    assert_int_equal(found.lost_packets, 0);
    fake_sink_destroy(sink);
}

static void a_damaged_one_is_left_out_and_nothing_else(void **state)
{
    struct fake_sink *sink = write_all();

    (void)state;
    for (size_t i = EVENT_PACKET; i < (size_t)WHOLE - EVENT_PACKET; i++) {
        struct found found;

        sink->bytes[i] ^= 0x55;
        found = read_all(sink->bytes, sink->size);
        assert_int_equal(found.events, 2);
        assert_false(found.has_text);
        assert_int_equal(found.skipped_bytes, AROUND + TEXT_BYTES);
        sink->bytes[i] ^= 0x55;
    }
    fake_sink_destroy(sink);
}

static void one_that_is_cut_off_is_none(void **state)
{
    struct fake_sink *sink = write_all();

    (void)state;
    for (size_t size = EVENT_PACKET + 1; size < (size_t)WHOLE - EVENT_PACKET;
         size++) {
        struct found found = read_all(sink->bytes, size);

        assert_int_equal(found.events, 1);
        assert_false(found.has_text);
    }
    fake_sink_destroy(sink);
}

static void a_sink_that_refuses_it_loses_no_event(void **state)
{
    unsigned char packet[AROUND + TEXT_BYTES] = { 0 };
    unsigned char buffer[256];
    struct ctf_writer writer;

    (void)state;
    ctf_writer_open(&writer, &narrow, buffer, sizeof buffer,
                    (struct tally_zpl_sink){ NULL, NULL });
    ctf_writer_describe(&writer, packet, sizeof packet, 2000);
    assert_int_equal(writer.sequence, 0);
    assert_int_equal(writer.discarded, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_a_packet_without_events),
        cmocka_unit_test(a_damaged_one_is_left_out_and_nothing_else),
        cmocka_unit_test(one_that_is_cut_off_is_none),
        cmocka_unit_test(a_sink_that_refuses_it_loses_no_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
