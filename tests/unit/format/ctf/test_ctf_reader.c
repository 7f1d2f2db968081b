/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ctf_reader.c - every layout reads back, intact, truncated and damaged
 *
 * This file is long because each kind of damage has its own bounds.
 */
#include "format/ctf/ctf_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/ctf/ctf_stream.h"
#include "format/ctf/zpl_event.h"
#include "tests/fakes/fake_sink.h"

/* A round of five regions every 0.8 seconds, so that the clock wraps. */
enum {
    ROUND = 5,
    EVENTS = 40,
    AROUND = CTF_PACKET_HEAD + CTF_PACKET_TRAILER,
};

static const struct ctf_layout layouts[] = {
    { 1, 4, false, NULL }, { 1, 8, false, NULL }, { 2, 4, false, NULL },
    { 2, 8, false, NULL }, { 3, 4, false, NULL }, { 3, 8, false, NULL },
    { 1, 4, true, NULL },  { 1, 8, true, NULL },  { 2, 4, true, NULL },
    { 2, 8, true, NULL },  { 4, 4, false, NULL }, { 4, 8, false, NULL },
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

struct fixture {
    struct fake_sink *sink;
    struct ctf_reader *reader;
};

static int create(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);

    fixture->sink = fake_sink_create();
    fixture->reader = malloc(sizeof *fixture->reader);
    *state = fixture;
    return fixture->reader == NULL;
}

static int destroy(void **state)
{
    struct fixture *fixture = *state;

    fake_sink_destroy(fixture->sink);
    free(fixture->reader);
    free(fixture);
    return 0;
}

static struct zpl_event event_number(unsigned number)
{
    unsigned region = number % ROUND < 2 ? ZPL_STACK : number % ROUND - 1;

    return (struct zpl_event){
        .time_ns = 1000 + number / ROUND * UINT64_C(800000000) + number % ROUND,
        .memory_region = (uint8_t)region,
        .memory_addr = 0x20000000 + number % ROUND * 0x100,
        .used = number,
        .unused = 4096 - number,
        .for_thread_id = region == ZPL_STACK ? 0x20001000 : 0,
    };
}

/* Write packets of one round each. */
static void write_stream(struct fixture *fixture,
                         const struct ctf_layout *layout)
{
    unsigned char buffer[512];
    struct ctf_writer writer;

    fixture->sink->size = 0;
    ctf_writer_open(&writer, layout, buffer, sizeof buffer,
                    fake_sink(fixture->sink));
    for (unsigned i = 0; i < EVENTS; i++) {
        struct zpl_event event = event_number(i);

        ctf_writer_event(&writer, &event);
        if (i % ROUND == ROUND - 1)
            ctf_writer_flush(&writer);
    }
}

static bool is_same(const struct zpl_event *event,
                    const struct zpl_event *other)
{
    return event->time_ns == other->time_ns &&
           event->memory_region == other->memory_region &&
           event->memory_addr == other->memory_addr &&
           event->used == other->used && event->unused == other->unused &&
           event->for_thread_id == other->for_thread_id;
}

/* How many of the events come back as they were written, all others beside. */
static unsigned read_stream(struct fixture *fixture, const unsigned char *bytes,
                            size_t size, unsigned *others)
{
    struct zpl_event event;
    unsigned found = 0;

    *others = 0;
    ctf_reader_open(fixture->reader, NULL);
    assert_int_equal(byte_stream_feed(&fixture->reader->in, bytes, size), size);
    byte_stream_end(&fixture->reader->in);
    while (ctf_reader_next(fixture->reader, &event)) {
        struct zpl_event expected = event_number(event.used);

        if (event.used < EVENTS && is_same(&event, &expected))
            found++;
        else
            ++*others;
    }
    assert_true(fixture->reader->in.offset == size);
    return found;
}

static void every_layout_is_recognized_and_read(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        unsigned others;

        write_stream(fixture, &layouts[i]);
        assert_int_equal(read_stream(fixture, fixture->sink->bytes,
                                     fixture->sink->size, &others),
                         EVENTS);
        assert_int_equal(others, 0);
        assert_int_equal(fixture->reader->events, EVENTS);
        assert_int_equal(fixture->reader->in.skipped.bytes, 0);
        assert_memory_equal(&fixture->reader->layout, &layouts[i],
                            offsetof(struct ctf_layout, has_packets) + 1);
        assert_null(fixture->reader->layout.shape);
    }
}

static void bytes_may_come_one_by_one(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        struct zpl_event event;
        unsigned count = 0;

        write_stream(fixture, &layouts[i]);
        ctf_reader_open(fixture->reader, NULL);
        for (size_t k = 0; k <= fixture->sink->size; k++) {
            if (k < fixture->sink->size)
                assert_int_equal(byte_stream_feed(&fixture->reader->in,
                                                  fixture->sink->bytes + k, 1),
                                 1);
            else
                byte_stream_end(&fixture->reader->in);
            while (ctf_reader_next(fixture->reader, &event)) {
                struct zpl_event expected = event_number(count++);

                assert_true(is_same(&event, &expected));
            }
        }
        assert_int_equal(count, EVENTS);
    }
}

static void one_event_alone_is_recognized(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        unsigned others;
        size_t size = ctf_layout_event_bytes(&layouts[i]);

        if (layouts[i].has_packets)
            continue;
        write_stream(fixture, &layouts[i]);
        assert_int_equal(
            read_stream(fixture, fixture->sink->bytes, size, &others), 1);
        assert_int_equal(fixture->reader->layout.version, layouts[i].version);
        assert_int_equal(fixture->reader->layout.address_bytes,
                         layouts[i].address_bytes);
    }
}

/*
 * Truncation loses only the event that it hits; and in a bare stream the one
 * before it, if nothing but a part of a header follows, and its region was not
 * seen before. Less than a round may be taken for another layout.
 */
static void a_stream_may_end_anywhere(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        size_t length = ctf_layout_event_bytes(&layouts[i]);

        write_stream(fixture, &layouts[i]);
        for (size_t size = ROUND * length; size < fixture->sink->size; size++) {
            unsigned others;
            unsigned found =
                read_stream(fixture, fixture->sink->bytes, size, &others);
            size_t whole = size / length, cut = size % length;

            if (!layouts[i].has_packets && whole <= ROUND && cut > 0 &&
                cut < ctf_layout_head_bytes(&layouts[i]))
                whole--;
            if (layouts[i].has_packets) {
                size_t packet = AROUND + ROUND * length;
                size_t rest = size % packet;

                whole = size / packet * ROUND;
                rest = rest < CTF_PACKET_HEAD ? 0 : rest - CTF_PACKET_HEAD;
                whole += rest / length < ROUND ? rest / length : ROUND;
            }
            assert_int_equal(found, whole);
            assert_int_equal(others, 0);
        }
    }
}

/* Change any byte of a packet: the packet is skipped, and all others are
   intact. */
static void a_damaged_packet_is_left_out(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        unsigned char *bytes = fixture->sink->bytes;
        size_t packet = AROUND + ROUND * ctf_layout_event_bytes(&layouts[i]);

        if (!layouts[i].has_packets)
            continue;
        write_stream(fixture, &layouts[i]);
        for (size_t k = 0; k < fixture->sink->size; k++) {
            unsigned others;

            bytes[k] = (unsigned char)~bytes[k];
            assert_int_equal(
                read_stream(fixture, bytes, fixture->sink->size, &others),
                EVENTS - ROUND);
            assert_int_equal(others, 0);
            assert_int_equal(fixture->reader->in.skipped.bytes, packet);
            assert_int_equal(fixture->reader->in.skipped.places, 1);
            assert_int_equal(fixture->reader->in.skipped.first,
                             k / packet * packet);
            bytes[k] = (unsigned char)~bytes[k];
        }
    }
}

/* Bare streams have no sums: a changed byte may lose or change its event, and
   no more. The first event's time is the base of all others. */
static void a_damaged_event_costs_itself(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < 6; i++) {
        unsigned char *bytes = fixture->sink->bytes;

        write_stream(fixture, &layouts[i]);
        for (size_t k = ctf_layout_event_bytes(&layouts[i]);
             k < fixture->sink->size; k++) {
            unsigned others;
            unsigned found;

            bytes[k] = (unsigned char)~bytes[k];
            found = read_stream(fixture, bytes, fixture->sink->size, &others);
            assert_int_equal(found, EVENTS - 1);
            assert_true(others <= 1);
            if (others + fixture->reader->other_events == 0)
                assert_int_equal(fixture->reader->in.skipped.bytes,
                                 ctf_layout_event_bytes(&layouts[i]));
            bytes[k] = (unsigned char)~bytes[k];
        }
    }
}

/* Bytes lost in transit lose their event. */
static void missing_bytes_cost_one_event(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < 6; i++) {
        size_t length = ctf_layout_event_bytes(&layouts[i]);

        for (size_t k = 10 * length; k < 15 * length; k++) {
            unsigned char *bytes = fixture->sink->bytes;
            unsigned others, found;

            write_stream(fixture, &layouts[i]);
            memmove(bytes + k, bytes + k + 1, fixture->sink->size - k - 1);
            found =
                read_stream(fixture, bytes, fixture->sink->size - 1, &others);
            /* An edge may belong to either event. */
            assert_in_range(found, EVENTS - 2, EVENTS - 1);
            assert_int_equal(found + others, EVENTS - 1);
            assert_int_equal(fixture->reader->in.skipped.bytes, length - 1);
        }
    }
}

static void a_stream_may_begin_in_noise(void **state)
{
    struct fixture *fixture = *state;

    for (unsigned i = 0; i < LAYOUTS; i++) {
        unsigned char *bytes;
        unsigned others;

        write_stream(fixture, &layouts[i]);
        bytes = malloc(fixture->sink->size + 4000);
        assert_non_null(bytes);
        for (size_t k = 0; k < 4000; k++)
            bytes[k] = (unsigned char)(k * 7 + k / 256);
        memcpy(bytes + 4000, fixture->sink->bytes, fixture->sink->size);
        assert_int_equal(
            read_stream(fixture, bytes, fixture->sink->size + 4000, &others),
            EVENTS);
        assert_int_equal(others, 0);
        assert_int_equal(fixture->reader->in.skipped.bytes, 4000);
        assert_int_equal(fixture->reader->in.skipped.first, 0);
        free(bytes);
    }
}

static void losses_are_told(void **state)
{
    struct fixture *fixture = *state;
    struct fake_sink *sink = fixture->sink;
    unsigned char buffer[512];
    struct ctf_writer writer;
    struct zpl_event event = event_number(0);
    size_t packet = AROUND + 22;

    ctf_writer_open(&writer, &layouts[6], buffer, sizeof buffer,
                    fake_sink(sink));
    for (unsigned i = 0; i < 6; i++) {
        sink->is_closed = i == 1 || i == 2;
        writer.profiler_us += 10;
        ctf_writer_event(&writer, &event);
        ctf_writer_flush(&writer);
    }
    /* Four packets were sent; the second is lost in transit. */
    memmove(sink->bytes + packet, sink->bytes + 2 * packet, 2 * packet);
    ctf_reader_open(fixture->reader, NULL);
    byte_stream_feed(&fixture->reader->in, sink->bytes, 3 * packet);
    byte_stream_end(&fixture->reader->in);
    for (unsigned i = 0; i < 3; i++)
        assert_true(ctf_reader_next(fixture->reader, &event));
    assert_false(ctf_reader_next(fixture->reader, &event));
    assert_int_equal(fixture->reader->lost_packets, 1);
    assert_int_equal(fixture->reader->discarded, 2);
    assert_int_equal(fixture->reader->profiler_us, 60);
    assert_int_equal(fixture->reader->in.skipped.bytes, 0);
}

/* A thread switch between memory events, whose name has letters like an
   event. */
static size_t write_mixed(unsigned char *bytes, const struct ctf_layout *layout)
{
    size_t head = ctf_layout_head_bytes(layout);
    size_t length = ctf_layout_event_bytes(layout);
    unsigned char *out = bytes;

    for (unsigned i = 0; i < EVENTS; i++) {
        struct zpl_event event = event_number(i);

        memset(out, 0, head + 24);
        memset(out + head, 0xee, 24);
        out[head - (layout->version == 1 ? 1 : 2)] = 0x10;
        if (layout->version == 3)
            out[2] = (unsigned char)((head + 24) % 32 * 8),
            out[3] = (unsigned char)((head + 24) / 32);
        out[layout->version == 3 ? 4 : 0] = (unsigned char)event.time_ns;
        out[layout->version == 3 ? 5 : 1] = (unsigned char)(event.time_ns >> 8);
        out[layout->version == 3 ? 6 : 2] =
            (unsigned char)(event.time_ns >> 16);
        out[layout->version == 3 ? 7 : 3] =
            (unsigned char)(event.time_ns >> 24);
        zpl_wire_write(out + head + 24, layout, &event, event.time_ns);
        out += head + 24 + length;
    }
    return (size_t)(out - bytes);
}

static void zephyrs_events_are_stepped_over(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[EVENTS * 80];

    for (unsigned i = 0; i < LAYOUTS; i++) {
        size_t size = write_mixed(bytes, &layouts[i]);
        unsigned others;

        if (layouts[i].has_packets)
            continue;
        assert_int_equal(read_stream(fixture, bytes, size, &others), EVENTS);
        assert_int_equal(others, 0);
        assert_int_equal(fixture->reader->other_events, EVENTS);
        assert_int_equal(fixture->reader->in.skipped.bytes, 0);
    }
}

static void other_events_are_told_when_asked_for(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[EVENTS * 80];
    size_t size = write_mixed(bytes, &layouts[0]);
    struct zpl_event event;

    ctf_reader_open(fixture->reader, NULL);
    fixture->reader->tells_others = true;
    assert_int_equal(size, EVENTS * (29 + 22));
    byte_stream_feed(&fixture->reader->in, bytes, size);
    byte_stream_end(&fixture->reader->in);
    for (unsigned i = 0; i < 2 * EVENTS; i++) {
        struct zpl_event expected = event_number(i / 2);

        assert_true(ctf_reader_next(fixture->reader, &event));
        assert_int_equal(fixture->reader->other != NULL, i % 2 == 0);
        assert_true(event.time_ns == expected.time_ns);
        if (fixture->reader->other != NULL)
            assert_int_equal(fixture->reader->other_size, 24);
    }
    assert_false(ctf_reader_next(fixture->reader, &event));
}

/* In packets of one event, change the size of one to any other. */
static void a_damaged_size_costs_its_packet(void **state)
{
    struct fixture *fixture = *state;
    unsigned char *bytes = fixture->sink->bytes;

    for (unsigned i = 4; i < 6; i++) {
        size_t length = ctf_layout_event_bytes(&layouts[i]);

        write_stream(fixture, &layouts[i]);
        for (unsigned bits = 0; bits < UINT16_MAX; bits += 8) {
            unsigned others;

            if (bits == length * 8)
                continue;
            bytes[5 * length + 2] = (unsigned char)bits;
            bytes[5 * length + 3] = (unsigned char)(bits >> 8);
            assert_int_equal(
                read_stream(fixture, bytes, fixture->sink->size, &others),
                EVENTS - 1);
            assert_int_equal(others, 0);
            assert_int_equal(fixture->reader->in.skipped.bytes, length);
            assert_int_equal(fixture->reader->in.skipped.places, 1);
            assert_int_equal(fixture->reader->in.skipped.first, 5 * length);
        }
    }
}

static void layouts_follow_each_other(void **state)
{
    struct fixture *fixture = *state;
    unsigned char bytes[2 * 2048];

    for (unsigned i = 0; i < LAYOUTS; i++) {
        for (unsigned k = 0; k < LAYOUTS; k++) {
            struct zpl_event event;
            size_t size;
            unsigned count = 0;

            write_stream(fixture, &layouts[i]);
            size = fixture->sink->size;
            memcpy(bytes, fixture->sink->bytes, size);
            write_stream(fixture, &layouts[k]);
            assert_in_range(size + fixture->sink->size, 1, sizeof bytes);
            memcpy(bytes + size, fixture->sink->bytes, fixture->sink->size);
            size += fixture->sink->size;
            ctf_reader_open(fixture->reader, NULL);
            byte_stream_feed(&fixture->reader->in, bytes, size);
            byte_stream_end(&fixture->reader->in);
            for (; ctf_reader_next(fixture->reader, &event); count++) {
                assert_int_equal(event.used, count % EVENTS);
                assert_int_equal(event.unused, 4096 - count % EVENTS);
            }
            assert_int_equal(count, 2 * EVENTS);
            assert_int_equal(fixture->reader->in.skipped.bytes, 0);
            assert_int_equal(fixture->reader->other_events, 0);
        }
    }
}

static void nothing_is_no_stream(void **state)
{
    struct fixture *fixture = *state;
    static unsigned char bytes[CTF_PACKET_LIMIT];
    unsigned others;

    assert_int_equal(read_stream(fixture, bytes, 0, &others), 0);
    assert_int_equal(read_stream(fixture, bytes, sizeof bytes, &others), 0);
    assert_int_equal(others, 0);
    assert_int_equal(fixture->reader->layout.version, 0);
    assert_int_equal(fixture->reader->in.skipped.bytes, sizeof bytes);
}

/* Behind an event that is longer than any, and whose end is far away. */
static void an_endless_event_is_passed(void **state)
{
    struct fixture *fixture = *state;
    static const unsigned char scope[] = { 5, 0, 0, 0, 0xef, 0xff, 0xff };
    static unsigned char bytes[EVENTS * 32 + 30000];
    unsigned others;
    size_t size;

    write_stream(fixture, &layouts[0]);
    size = fixture->sink->size;
    memcpy(bytes, fixture->sink->bytes, size);
    memcpy(bytes + size, scope, sizeof scope);
    assert_int_equal(read_stream(fixture, bytes, sizeof bytes, &others),
                     EVENTS);
    assert_int_equal(others, 0);
    assert_int_equal(fixture->reader->in.skipped.bytes, sizeof bytes - size);
}

/* Bytes of three events of layout 1 with either size of a pointer. */
static void events_of_two_layouts_are_passed(void **state)
{
    static const struct {
        unsigned char at, byte;
    } set[] = { { 4, 0xee },  { 5, 1 },   { 7, 0x10 },  { 9, 0x20 },
                { 10, 100 },  { 14, 50 }, { 26, 0xee }, { 28, 1 },
                { 30, 0xee }, { 41, 1 },  { 48, 0xee }, { 56, 0xee },
                { 63, 1 },    { 75, 1 } };
    struct fixture *fixture = *state;
    unsigned char bytes[EVENTS * 32 + 78 + EVENTS * 32] = { 0 };
    unsigned others;
    size_t size;

    write_stream(fixture, &layouts[0]);
    size = fixture->sink->size;
    memcpy(bytes, fixture->sink->bytes, size);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        bytes[size + set[i].at] = set[i].byte;
    memcpy(bytes + size + 78, fixture->sink->bytes, size);
    assert_int_equal(read_stream(fixture, bytes, 2 * size + 78, &others),
                     2 * EVENTS);
    assert_int_equal(fixture->reader->in.skipped.bytes, 78);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_layout_is_recognized_and_read),
        TEST(bytes_may_come_one_by_one),
        TEST(one_event_alone_is_recognized),
        TEST(a_stream_may_end_anywhere),
        TEST(a_damaged_packet_is_left_out),
        TEST(a_damaged_event_costs_itself),
        TEST(missing_bytes_cost_one_event),
        TEST(a_stream_may_begin_in_noise),
        TEST(losses_are_told),
        TEST(zephyrs_events_are_stepped_over),
        TEST(other_events_are_told_when_asked_for),
        TEST(a_damaged_size_costs_its_packet),
        TEST(layouts_follow_each_other),
        TEST(nothing_is_no_stream),
        TEST(an_endless_event_is_passed),
        TEST(events_of_two_layouts_are_passed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
