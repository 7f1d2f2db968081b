/* SPDX-License-Identifier: Apache-2.0 */
/* test_trace_stream.c - the form of a trace, and its events in order */
#include "tool/model/trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/events/events_stream.h"
#include "tests/fakes/fake_sink.h"
#include "tests/fakes/random_events.h"

enum { EVENTS = 5000, PACKET = 8192 };

/* Calls as tally record writes them. */
struct calls {
    struct mem_trace_event events[EVENTS];
    struct fake_sink *sink;
    size_t first_packet; /* events of it */
    unsigned char buffer[EVENTS_PACKET_LIMIT];
    struct events_writer writer;
};

static bool take_bytes(void *context, const void *bytes, size_t size)
{
    struct calls *calls = context;
    struct tally_zpl_sink taker = fake_sink(calls->sink);

    if (calls->sink->size == 0)
        calls->first_packet = calls->writer.pending;
    return taker.write(taker.context, bytes, size);
}

static struct calls *write_calls(uint32_t packet)
{
    struct calls *calls = calloc(1, sizeof *calls);
    struct random_sequence sequence = { 6 };
    struct mem_trace_event last = { .time_ns = 1 };

    assert_non_null(calls);
    calls->sink = fake_sink_create();
    events_writer_open(&calls->writer, 77, calls->buffer, packet,
                       (struct tally_zpl_sink){ take_bytes, calls });
    for (size_t i = 0; i < EVENTS; i++) {
        last = calls->events[i] = random_event(&sequence, &last);
        events_writer_add(&calls->writer, &last);
    }
    events_writer_finish(&calls->writer);
    return calls;
}

static void drop_calls(struct calls *calls)
{
    fake_sink_destroy(calls->sink);
    free(calls);
}

/* Return the number of events, which must be those from `first` on. */
static size_t take_calls(const struct calls *calls, struct trace_stream *stream,
                         size_t first)
{
    struct trace_event event;
    size_t count = 0;

    while (trace_stream_next(stream, &event)) {
        const struct mem_trace_event *expected = &calls->events[first + count];

        assert_int_equal(event.kind, TRACE_EVENT_CALL);
        assert_int_equal(event.call.time_ns, expected->time_ns);
        assert_int_equal(event.call.result, expected->result);
        count++;
    }
    return count;
}

static size_t read_calls(const struct calls *calls, struct trace_stream *stream,
                         size_t piece, size_t first)
{
    size_t size = calls->sink->size, count = 0;

    for (size_t done = 0; done < size; done += piece) {
        trace_stream_feed(stream, calls->sink->bytes + done,
                          size - done < piece ? size - done : piece);
        count += take_calls(calls, stream, first + count);
    }
    trace_stream_end(stream);
    return count + take_calls(calls, stream, first + count);
}

static void calls_are_read_in_pieces(void **state)
{
    static const size_t pieces[] = { 7, 71, 4096, 1 << 20 };
    struct calls *calls = write_calls(PACKET);

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct trace_stream *stream = trace_stream_create(NULL);
        struct trace_counts counts;

        assert_int_equal(read_calls(calls, stream, pieces[i], 0), EVENTS);
        assert_int_equal(trace_stream_form(stream), TRACE_CALLS);
        trace_stream_count(stream, &counts);
        assert_int_equal(counts.events, EVENTS);
        assert_int_equal(counts.calls, EVENTS);
        assert_int_equal(counts.skipped.bytes, 0);
        trace_stream_destroy(stream);
    }
    drop_calls(calls);
}

static void calls_are_found_behind_damage(void **state)
{
    struct calls *calls = write_calls(PACKET);
    struct trace_stream *stream = trace_stream_create(NULL);
    struct trace_counts counts;

    (void)state;
    memset(calls->sink->bytes, 0, 200); /* the first packet's head, and more */
    assert_int_equal(read_calls(calls, stream, 4096, calls->first_packet),
                     EVENTS - calls->first_packet);
    trace_stream_count(stream, &counts);
    assert_int_equal(trace_stream_form(stream), TRACE_CALLS);
    assert_int_equal(counts.losses[TRACE_LOSS_missing_events],
                     calls->first_packet);
    assert_int_equal(counts.skipped.first, 0);
    assert_int_equal(counts.skipped.places, 1);
    trace_stream_destroy(stream);
    drop_calls(calls);
}

/* A packet may be larger than the bytes examined. */
static void calls_show_by_their_head(void **state)
{
    struct calls *calls = write_calls(EVENTS_PACKET_LIMIT);

    (void)state;
    assert_true(is_trace(calls->sink->bytes, EVENTS_PACKET_HEAD));
    assert_true(is_trace(calls->sink->bytes, 4096));
    assert_false(is_trace(calls->sink->bytes, EVENTS_PACKET_HEAD - 1));
    drop_calls(calls);
}

static void lines_of_both_kinds_keep_their_order(void **state)
{
    static const char text[] = "boot\n"
                               "#m:0x10;0x1-1\n"
                               "zpl_memory_event heap (0x2) 1B 1B 0\n"
                               "#m:0x20;0x1-1 #m:0x30;0x1-1\n"
                               "#m:0x2\n"
                               "zpl_memory_event heap (0x4) 1B 1B 0\n"
                               "zpl_memory_event heap (0x2\n"
                               "#f:0x0;0x1-0x50\n";
    static const uint64_t addresses[] = { 0x10, 0x2, 0x20, 0x30, 0x4, 0 };

    (void)state;
    for (size_t piece = 1; piece <= sizeof text; piece++) {
        struct trace_stream *stream = trace_stream_create(NULL);
        struct trace_counts counts;
        struct trace_event event;
        size_t count = 0;

        for (size_t done = 0; done < sizeof text - 1; done += piece) {
            size_t left = sizeof text - 1 - done;

            trace_stream_feed(stream, text + done, left < piece ? left : piece);
            while (trace_stream_next(stream, &event))
                assert_int_equal(event.kind == TRACE_EVENT_CALL
                                     ? event.call.result
                                     : event.region.memory_addr,
                                 addresses[count++]);
        }
        assert_int_equal(count, 6);
        trace_stream_count(stream, &counts);
        assert_int_equal(trace_stream_form(stream), TRACE_TEXT);
        assert_int_equal(counts.events, 6);
        assert_int_equal(counts.calls, 4);
        assert_int_equal(counts.skipped.places, 2);
        assert_int_equal(counts.skipped.first, 83);
        trace_stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_read_in_pieces),
        cmocka_unit_test(calls_are_found_behind_damage),
        cmocka_unit_test(calls_show_by_their_head),
        cmocka_unit_test(lines_of_both_kinds_keep_their_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
